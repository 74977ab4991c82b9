// The protocols of docs/threads.md in every interleaving of their steps, and with mistakes that the explorer must find.
import { describe, expect, test } from "vitest";
import { explore, inbox, registration, ringOfFull } from "./queue-model.ts";

describe("an inbox: nobody sleeps while a cell lies there (06 6.12.1)", () => {
  test.each([
    [1, 3],
    [2, 2],
    [3, 1],
  ])("%d senders of %d cells", (senders, each) => {
    const { states, problem } = explore(inbox(senders, each));
    expect(problem).toBeUndefined();
    expect(states).toBeGreaterThan(100);
  });

  test.each([
    "does not look again",
    "looks at the mark first",
    "wakes before WAKE changes",
    "changes WAKE before it takes the mark",
  ] as const)("a mistake is found: %s", (mistake) =>
    expect(explore(inbox(2, 2, mistake)).problem?.what).toBe("threads 0 wait for ever"),
  );
});

describe("strands that wait for room in each other's full inboxes go on (06 6.12.4)", () => {
  test.each([2, 3])("a ring of %d", (count) => expect(explore(ringOfFull(count)).problem).toBeUndefined());

  test.each(["does not say that it is blocked", "does not look again"] as const)("a mistake is found: %s", (mistake) =>
    expect(explore(ringOfFull(2, mistake)).problem?.what).toMatch(/wait for ever$/),
  );
});

describe("no list of subscriptions changes while it is walked (06 6.8)", () => {
  test.each([1, 2, 3])("%d senders", (senders) => expect(explore(registration(senders)).problem).toBeUndefined());

  test.each(["looks before it says so", "changes at once"] as const)("a mistake is found: %s", (mistake) =>
    expect(explore(registration(2, mistake)).problem?.what).toBe("a list changes under a walk"),
  );
});
