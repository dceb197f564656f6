"""The yardstick: the least a loop over the openai client can do, a generation and two calls to the judge a case."""

import argparse
import asyncio
import os


async def main(scenarios: int, concurrency: int) -> None:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key="none", base_url=os.environ["OPENAI_BASE_URL"], max_retries=3)
    slots = asyncio.Semaphore(concurrency)

    async def ask(model: str, system: str, user: str) -> str:
        reply = await client.chat.completions.create(
            model=model,
            messages=[{"role": "system", "content": system}, {"role": "user", "content": user}],
        )
        return reply.choices[0].message.content or ""

    async def case(number: int) -> None:
        async with slots:
            text = await ask("rehearsal", "You are Penpal. " * 40, f"I had a long day, number {number}.")
            await asyncio.gather(
                ask("rehearsal-judge", "You rate replies. " * 60, f"Score the assistant response: {text}"),
                ask("rehearsal-judge", "You rate replies. " * 30, f"Score the assistant response once more: {text}"),
            )

    ends = await asyncio.gather(*(case(number) for number in range(scenarios)), return_exceptions=True)
    print(f"{sum(isinstance(end, Exception) for end in ends)} lost")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenarios", type=int, required=True)
    parser.add_argument("--concurrency", type=int, default=50)
    options = parser.parse_args()
    asyncio.run(main(options.scenarios, options.concurrency))
