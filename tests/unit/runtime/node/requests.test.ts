// When a request of the program is answered: by what happens, or because its time is up (10 7.1, 10-b2 1.2).
import { type Socket, connect, createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Mailbox, STATE, mailboxOf, newMailboxBuffer } from "../../../../runtime/node/protocol.ts";
import { WOULD_BLOCK } from "../../../../runtime/node/server/descriptor.ts";
import { Requests } from "../../../../runtime/node/server/requests.ts";

const EXPIRED = -11;

/** Two ends of a connection. */
let near: Socket;
let far: Socket;
const server = createServer();
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
  const address = server.address();
  near = connect(typeof address === "object" ? (address?.port ?? 0) : 0, "127.0.0.1");
  far = await accepted;
});
afterAll(() => {
  near.destroy();
  far.destroy();
  server.close();
});

function asked(): Mailbox {
  const mailbox = mailboxOf(newMailboxBuffer());
  Atomics.store(mailbox.words, STATE, 1);
  return mailbox;
}

async function answerTo(mailbox: Mailbox): Promise<number> {
  await expect.poll(() => Atomics.load(mailbox.words, STATE)).toBe(0);
  return Number(mailbox.result[0]);
}

/** Waits for what comes at the near end. */
function receive(limit: number): Mailbox {
  const requests = new Requests();
  let received = 0;
  near.once("data", (chunk) => {
    received = chunk.length;
    requests.retry();
  });
  const mailbox = asked();
  requests.when(mailbox, () => (received > 0 ? received : WOULD_BLOCK), limit, EXPIRED);
  return mailbox;
}

/** This thread does nothing: as when others have the processor. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

test.each([0, 20])(
  "what had come before the time of %i ms was up counts, though the thread was held up",
  async (limit) => {
    far.write("four");
    const mailbox = receive(limit);
    pause(100);
    expect(await answerTo(mailbox)).toBe(4);
  },
);

test.each([0, 20])("when nothing has come after %i ms, that is the answer", async (limit) => {
  expect(await answerTo(receive(limit))).toBe(EXPIRED);
});
