"""Given names of many languages, in lower case, and those of them that are also words or places.

They find a name where nothing around it says that it is one ("tom and i broke up"). No such list is complete.
"""

_NAMES = """
aaliyah aaron abby abdul abdullah abigail abraham achmed ada adam adele aditi aditya adrian adriana agata agnes
agnieszka ahmad ahmed aicha aiden aiko aileen aisha ajay akash akiko akira alan alana alba albert alberto alec alejandra
alejandro aleksandra aleksei alessandra alessandro alessia alex alexa alexander alexandra alexandre alexandru alexei
alexey alexia alexis alfie alfonso alfred alfredo ali alice alicia alina alisa alison allan allison alma alvaro alyssa
amadou amalia amanda amara amber amelia amelie amin amina amir amira amit amy ana anaïs anais anand ananya anastasia
anders andrea andreas andrei andres andrew andrey andrzej andy angela angelica angelika angelina angelo angie angus
anika anil anita anja anjali ann anna annabel anne annette annie annika anouk anthony antje antoine antoinette anton
antonia antonio anya aoife april ariana arianna ariel arjun arlene armando arnaud arnold artem arthur arturo arun asha
ashley ashok asif astrid athena audrey august aurelie aurora ava avery ayaan ayesha aylin ayse aziz babak barbara
barbora barry bart bartosz bashir beata beatrice beatriz beatrix becca becky ben benedict benedikt benjamin benny
bernadette bernard bernd bernhard bernie bert bertha beth bethany betty bianca birgit bjorn björn blanca bob bobby
bogdan boris brad bradley brandon brenda brendan brent brett brian brianna bridget brigitte britta brittany bruce bruno
bryan bryce brynn caitlin caleb callum calvin cameron camila camilla camille candice carina carl carla carlo carlos
carmen carol carole carolina caroline carolyn carrie casey cassandra cassie catalina caterina catherine cathy cecilia
cecile cedric celeste celia celine cesar chad chandra chantal charlene charles charlie charlotte chelsea chen cheryl
chiara chika chinedu chioma chloe chris christa christian christiane christina christine christoph christophe
christopher christy chuck ciara cindy claire clara clarissa claude claudia claudio claus clemens clément clement
clifford clive cody colette colin colleen connie connor conor conrad constance corey corinna corinne cornelia cory
courtney craig cristian cristiano cristina curtis cynthia dagmar daisy dale damian damien dan dana daniel daniela
daniele daniella danielle danny dante daphne darius darlene darrell darren dario dave david davide dawid dawn dean
deanna deb debbie deborah debra declan deepa deepak deepika deirdre delia denis denise dennis derek derrick desmond
devon dhruv diana diane diego dieter dietmar dilip dima dimitri dimitrios dina dinesh dirk divya dmitri dmitry dolores
dominic dominik dominique don donald donna donovan dora doreen doris dorota dorothea dorothy doug douglas drew duncan
dustin dwayne dylan earl ed eddie edgar edith eduard eduardo edward edwin eileen ekaterina elaine elena eleanor eleni
eli elias elif elijah elin elina elisa elisabeth elise eliza elizabeth elke ella ellen ellie elliot elliott elmar elodie
elsa elsie elvira emil emilia emilie emilio emily emine emma emmanuel emmanuelle emre enrico enrique enzo eoin erdem
eric erica erich erik erika erin ernest ernesto ernst erwin esmeralda esperanza esteban estelle esther ethan eugen
eugene eugenia eva evan evelyn ewa fabian fabienne fabio fabrice faisal farah farhan farid fatima fatma fatou federica
federico felicia felicity felipe felix ferdinand fernanda fernando filip filippo fiona flavia flavio fleur florence
florian floyd frances francesca francesco francine francis francisca francisco franco francois françois françoise
francoise frank franz fred freddie frederic frederick frederik frederike freya frida friedrich frieda fritz gabby gabi
gabriel gabriela gabriele gabriella gabrielle gail galina gareth garry gary gaurav gavin geert gemma genevieve geoff
geoffrey georg george georges georgia georgina gerald geraldine gerard gerardo gerd gerhard gerrit gertrud gianluca
gianna gilbert giles gillian gina giorgia giorgio giovanna giovanni gisela giulia giuliana giuseppe gladys glen glenn
gloria gonzalo gopal gordon grace graham grainne grant greg gregor gregory greta gretchen grigori grzegorz guadalupe
guido guillaume guillermo gunnar gunther günter günther guy gwen gwendolyn hailey hakan hal hamid hamza hana hanna
hannah hannes hans hans-peter harald haris harold harper harriet harriette harris harry haruka haruto harvey hasan
hassan hayley hazel heather hector heidi heike heiko heinrich heinz helen helena helene helga helmut hendrik henk
henning henri henrietta henrik henrike henry herbert herman hermann hilary hilda hilde hildegard hiro hiroshi hisham
holger holly horst howard hubert hugh hugo humberto hussein ian ibrahim ida ignacio igor ike iker ilona ilse iman imani
imran inés ines inga inge ingeborg ingrid inka ioana ioannis ira irena irene irina iris irma isaac isabel isabella
isabelle isaiah ishaan ismael ismail ivan ivana ivo ivy jaap jack jackie jacob jacqueline jacques jade jagoda jaime jake
jakob jakub jamal james jamie jamila jan jana jane janet janice janine janis jannik janusz jared jarek jasmin jasmine
jason jasper javier jay jayden jean jean-paul jean-pierre jeanette jeanne jeannette jeff jeffrey jelena jemma jenna
jennifer jenny jens jeremiah jeremy jerome jerry jesse jessica jessie jesus jill jim jimena jimmy jin jitka jo joan
joana joann joanna joanne joão joao joaquin jochen jodie joe joel joelle joey johan johann johanna johannes john johnny
jolanta jon jonah jonas jonathan jordan jorge jörg joris josé jose josef josefa josefina joseph josephine josh joshua
josie josip joy joyce juan juana juanita judith judy juergen jürgen jules julia julian juliana juliane julianna julie
julien juliet juliette julio julius june jürg justin justine justyna jutta kaan kai kamal kamila kamran kareem karel
karen karim karin karina karl karla karol karolina kasia kasper kate katarina katarzyna katherine kathleen kathrin
kathryn kathy katie katja katrin katrina katya kavita kay kayla keiko keith kelly kelvin ken kendra kenji kenneth kenny
kerry kevin khadija khaled khalid kiara kieran kim kimberly kiran kirill kirk kirsten kirsty kjell klara klaus koen koji
konrad konstantin kris krishna kristen kristin kristina kristine kristof krystyna krzysztof kumar kurt kwame kyle kyra
kyoko lachlan lara larissa larry lars latoya laura lauren laurence laurent laurie lavinia lawrence layla lea leah
leander leanne lee leif leila leilani lena lennart lenny leo leon leona leonard leonardo leonie leonor leopold leroy
leslie leticia lewis lia liam lida lidia liesbeth lilian liliana lillian lilly lily lin lina linda lindsay lindsey
linnea linus lionel lisa lisbeth lise lizzie ljubica logan lois lola lolita lora lore lorena lorenz lorenzo loretta lori
lorna lorraine lothar lotte lotta lou louis louisa louise luc luca lucas lucia luciana luciano lucie lucien lucinda lucy
ludmila ludwig luigi luis luisa luise lukas lukasz luke luna luz lydia lyn lynda lynn lynne mabel maciej mackenzie
madeleine madeline madison mads magda magdalena maggie magnus mahmoud maia maike maja makoto malcolm malek malgorzata
malik mandy manfred manish manoj manon manuel manuela mara marc marcel marcela marcella marcelo marcia marcin marco
marcos marcus marek margaret margareta margarita margherita margie margit margot marguerite mari maria mariah mariam
mariama marian mariana marianne maribel marie marieke marijke marika marilyn marina mario marion marisa marisol marit
marius marjorie mark marko markus marlene marlies marlon marta martha martijn martin martina martine marty marvin mary
maryam masha massimo mat mateo mateus mateusz mathias mathieu mathilda mathilde matilda matt matteo matthew matthias
matthieu maureen maurice mauricio mauro max maxim maxime maximilian maxine maya meera megan mehdi mehmet mei mel melanie
melinda melissa melody mercedes meredith merle merve mia micaela michael michaela michal michał micheal michel michela
michele micheline michelle miguel mihai mikael mike mikhail mikkel mila milan mildred milena miles milo milos mina mira
miranda mirek miriam mirja mirjam misha mitch mitchell miyuki mohamed mohammad mohammed mohan moira molly mona monica
monika monique morgan moritz morten moshe muhammad mukesh murat muriel murray mustafa myra myriam nabil nadia nadine
nadja nahid naima nancy naoko naomi nasir nasser natalia natalie natasha nate nathalie nathan nathaniel neha neil nelly
nelson nia nicholas nick nico nicola nicolas nicole niels nigel nikhil nikita niklas nikola nikolai nikolaos nikos nils
nina nisha nitin noah noel noelle noemi nora norah norbert noreen norma norman nour nuno nuria ola olaf oleg oleksandr
olena olga olive oliver olivia olivier omar orla orlando oscar osman otto owen oya pablo paige palak paloma pam pamela
paola paolo parisa pascal pascale pat patrice patricia patrick patrik patrizia patty paul paula paulina pauline paulo
pavel pawel paweł pedro peggy penelope penny per percy perry pete peter petr petra petros phil philip philipp philippa
philippe phillip phoebe phyllis pia piero pierre pieter pietro pilar piotr poppy prakash pranav prashant preeti
priscilla priya priyanka rachel rachid rafael rafal rahel rahim rahul rainer raj rajesh raju ralf ralph ramesh rami
ramon ramona randall randy raphael raquel rashid raul ravi ray raymond rebecca rebekka reggie regina reginald reinhard
remy rena renata renate rené rene renee renée reza rhonda ricardo riccardo richard rick ricky rieke riley rita rob
robert roberta roberto robin rocio rod roderick rodney rodrigo roger rohan rohit roland rolf roman romain romeo ron
ronald ronan ronja ronnie rory rosa rosalie rosalind rosanna rosario rosemarie rosemary rosie roswitha rowan roxana
roxanne roy ruben ruby rudi rudolf rudy rupert russell ruth ryan ryo sabina sabine sabrina sachiko sadie saeed said
sakura salim sally salma salvador salvatore sam samantha samir samira sammy samuel sana sandeep sandra sandrine sandro
sandy sangeeta sanjay santiago santosh saoirse sara sarah sasha saskia satoshi saul savannah scarlett scott sean seamus
sebastian sebastien selena selim selina selma sergei sergey sergio seth shane shannon sharon shaun shauna shawn sheila
shelley shelly sheryl shirley shivani shreya sibylle siddharth sidney siegfried sigrid silas silke silvia silvio simon
simona simone sinead siobhan slawomir sofia sofie sofija solveig sonia sonja sonya sophia sophie stacey stacy stan
stanislav stanley stefan stefania stefanie stefano steffen steffi stella stephan stephanie stephen steve steven stewart
stuart sue sumit sunil suresh susan susana susann susanna susanne susie suzanne suzy sven svenja svetlana swati sybille
sylvia sylvie tabea tadeusz takashi takeshi talia tamara tamika tammy tania tanja tanya tara tariq tasha tatiana tatjana
taylor ted teddy teresa terence teresita terry tess tessa thea thelma theo theodor theodore theresa therese thiago
thibault thierry thilo thomas thorsten tiago tiffany tilda till tim timo timothy tina tobias toby todd tom tomas tomás
tomasz tommaso tommy tomoko toni tony tonya torben tore torsten tracey tracy travis trevor tricia trina tristan trudy
tyler tyrone udo ugo ulf uli ulla ulrich ulrike umberto uma umar ursula usha ute uwe vadim valentin valentina valeria
valerie valeriy vanessa vasile vera vernon veronica veronika veronique vic vicky victor victoria vijay vikas vikram
viktor viktoria vince vincent vincenzo viola violet virginia virginie vitor vittoria vivek vivian viviana vivien
vivienne vladimir volker volodymyr wade waldemar wallace walter wanda warren wayne wei wendy werner wilfried wilhelm
will willem william willie wilma winston wioletta wojciech wolf wolfgang xander xavier ximena xin yan yana yannick yara
yasin yasmin yasmine yosef yoshi youssef yuki yulia yuri yusuf yvan yvette yvonne zach zachary zahra zainab zane zara
zdenek zeynep zhang zoe zofia zoltan zoran zuzana agatha alistair ambrose archibald arabella barnaby bartholomew
clarence cordelia cyril delilah dorian ebenezer edmund elspeth eloise ernestine esmond ethel eunice ezekiel ezra fergus
fitzgerald gertrude gideon gwyneth hamish harrison hermione horace humphrey ignatius imogen isadora isidore ishmael
jeremias josiah jethro lucretia luther lysander mortimer myrtle nathanial obadiah octavia ophelia orson oswald percival
perpetua phineas portia prudence quentin randolph reuben rosamund rufus samson septimus sheldon silvester solomon
sylvester tabitha thaddeus theodora tobin tristram ulysses urban uriah wilbur wilfred winifred zachariah zebedee zelda
noor leyla laila omer imad bilal zaid hadi noura rania rasha reem salwa samia shirin soraya adaeze amaka ama ade ayo
bola chidi emeka femi folake ifeanyi kemi kofi kwabena kwesi ngozi nneka obi olu seun tunde yaw zola thandi sipho lerato
thabo naledi anjum arash aryan bao binh chau dinh duc dung hieu hoa hoang hung huong khanh kieu lanh linh loan minh ngoc
nguyen nhi nhung phuong quang quyen thao thanh thi thuy trang trinh tuan uyen vinh vy xuan
"""
_ALSO_WORDS = """
amber april ariel art august aurora austin autumn basil bill blanca brad brent bruno carol casey chad chance charlotte
chase chelsea christian chuck clay cliff constance dale daisy dan dawn dean destiny devon dick don drew duke earl ed
faith felicity fleur florence frank gale gene ginger glen glory gloria grace grant guy hal harmony harper harry haven
hazel heath heather henna holly hope hunter ida imam iris ivy jack jade jan jasmine jay jean jesus jo jordan joy june
justice kay kim king kiran lance laurel lee lily lin lola long lore lotte lou luna luz mads mae mandy marc mark mat max
may mel melody mercedes mercy merle mina misty miles nick noel norma ola olive opal orlando pat patience pearl penny per
pete piper poppy prince queen ray rich river rob robin rocky rod roman rose rosemary rowan roy ruby rusty sage sally
sandy savannah sky scarlett scout shannon sidney skip sonny spike star stella stone stormy sue summer sunny sydney ted
terry theo till tim toni tore tracy trinity troy uma usha van vera vic victor victoria viola violet virginia wade
wallace warren will willow wolf xin yan alba ava cody emil eve fern jose mary mia milan miranda mona nelly nova paige
paloma pierce pilar raj rita salvador said sierra sven tara teddy tiffany tony trudy vivian wanda chen wei zhang polo
eden lane dora delia ama ade obi bola dung minh linh thanh hung chau urban prudence carolina diego francisco louis
antonio georgia ezra solomon samson loan madison marina maxim myrtle randy kelvin aryan ute bao milo clement angel logan
celeste romeo chandra charity
"""

ALSO_WORDS = frozenset(_ALSO_WORDS.split())
"""They count as names where they are capitalised within a sentence, or where something says so."""
GIVEN_NAMES = frozenset(_NAMES.split()) | ALSO_WORDS
