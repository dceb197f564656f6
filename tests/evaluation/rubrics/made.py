"""A team's own small rubric, to break in one place at a time."""

OWN = """\
name: own
version: "1"
title: Own rubric
introduction: What a reply of ours should be.
scale: {low: 0, high: 1}
metrics:
  brevity:
    title: Brevity
    kind: adjustments
    weight: 0.4
    definition: Short.
    criteria: [{from: 0, to: 1, label: All, text: Anything}]
    positive: [Is short]
    negative: [Is long]
    base: 0.5
    lists:
      fillers: [well, you know]
    adjustments:
      - {when: word_count, at_most: 5, add: 0.5}
      - {when: response_says, list: fillers, add: -0.2, label: filler}
  kindness:
    title: Kindness
    kind: judged
    weight: 0.6
    definition: Kind.
    criteria: [{from: 0, to: 1, label: All, text: Anything}]
    positive: [Is kind]
    negative: [Is unkind]
  total:
    title: Total
    kind: weighted
    definition: Both.
overall: total
levels:
  - {name: fine, at_least: 0.5, meaning: Fine}
  - {name: bad, at_least: 0, meaning: Bad}
decision: {deploy: 0.7, ab_test: 0.6, floor: 0.5}
judge:
  dimensions: [brevity, kindness]
  fallback: 0.5
  template: "{{user_message}} {{assistant_response}} {{context_summary}}"
history:
  - {version: "1", date: "2026-01-01", changes: [First]}
"""
