// Stream sockets over `net`: one class for what a socket may become, a listener or a connection.
import { existsSync } from "node:fs";
import { type Server, Socket, createServer } from "node:net";
import { dirname } from "node:path";
import { errno, errnoOf } from "../errno.ts";
import { addressText, internetAddress } from "./address.ts";
import { ByteQueue } from "./byte-queue.ts";
import { type Changed, type Descriptor, type Pending, WOULD_BLOCK, type WouldBlock } from "./descriptor.ts";
import { SocketOptions } from "./socket-options.ts";
import {
  type UnixListener,
  forgetListener,
  hasOnlyOwnPeers,
  noteListener,
  ownCredentials,
  ownListenerAt,
} from "./unix-peers.ts";

export const AF_UNIX = 1;
/** Of a Unix socket, in bytes. */
const LONGEST_PATH = 107;
/** Bytes that are taken from the network before the program has read the earlier ones. */
const READ_AHEAD = 262144;

export class StreamSocket implements Descriptor {
  nonblocking = false;
  readTimeout = 0;
  writeTimeout = 0;
  readonly options = new SocketOptions(undefined, () => this.#peer());
  readonly #family: number;
  readonly #changed: Changed;
  #connection: Socket | undefined;
  #listener: Server | undefined;
  #bound: string | undefined;
  readonly #queue: StreamSocket[] = [];
  readonly #bytes = new ByteQueue();
  #connected = false;
  #readEnded = false;
  #writeEnded = false;
  #error = 0;
  /** What has broken the connection was the answer of a write: like a pending error of the kernel it is told once. */
  #errorIsTold = false;
  #noDelay = false;
  #keepAlive = false;
  /** Of a Unix socket: itself as a listener, the one that accepted it, the one of this process that it has connected to. */
  #listens: UnixListener | undefined;
  #acceptedBy: UnixListener | undefined;
  #connectedTo: UnixListener | undefined;

  constructor(family: number, changed: Changed, connection?: Socket, acceptedBy?: UnixListener) {
    this.#family = family;
    this.#changed = changed;
    this.#acceptedBy = acceptedBy;
    if (connection !== undefined) {
      this.#connected = true;
      this.#take(connection);
    }
  }

  /** Only noted: Node binds and listens in one step, so what is wrong with the address shows at `listen`. */
  bind(address: string): number {
    const problem = this.#problemOf(address);
    if (problem === 0) this.#bound = address;
    return problem;
  }

  #problemOf(address: string): number {
    if (this.#family !== AF_UNIX) return internetAddress(address) === undefined ? errno("EINVAL") : 0;
    if (address === "") return errno("EINVAL");
    return Buffer.byteLength(address) > LONGEST_PATH ? errno("ENAMETOOLONG") : 0;
  }

  listen(backlog: number, answer: (result: number) => void): void {
    const listener = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (connection) => {
      if (this.#listens !== undefined) this.#listens.accepted++;
      this.#queue.push(new StreamSocket(this.#family, this.#changed, connection, this.#listens));
      this.#changed();
    });
    listener.once("error", (error) => answer(this.#refusal(error)));
    listener.once("listening", () => {
      this.#listener = listener;
      if (this.#family === AF_UNIX) this.#listens = noteListener(this.#bound ?? "");
      listener.on("error", () => undefined);
      answer(0);
    });
    const place = internetAddress(this.#bound ?? "0.0.0.0:0");
    if (this.#family === AF_UNIX) listener.listen({ path: this.#bound ?? "", backlog });
    else listener.listen({ host: place?.host ?? "", port: place?.port ?? 0, backlog });
  }

  /** libuv reports a path without its directory as EACCES. */
  #refusal(error: Error): number {
    const number = errnoOf(error);
    const isMissing = this.#family === AF_UNIX && !existsSync(dirname(this.#bound ?? ""));
    return isMissing && number === errno("EACCES") ? errno("ENOENT") : number;
  }

  accept(): StreamSocket | number | WouldBlock {
    if (this.#listener === undefined || !this.#listener.listening) return errno("EINVAL");
    return this.#queue.shift() ?? WOULD_BLOCK;
  }

  connect(address: string): number | Pending {
    if (this.#connected) return errno("EISCONN");
    if (this.#connection !== undefined) return errno("EALREADY");
    const problem = this.#problemOf(address);
    if (problem !== 0) return problem;
    const place = internetAddress(address);
    const connection = new Socket({ allowHalfOpen: true });
    connection.once("connect", () => {
      this.#connected = true;
      this.#changed();
    });
    this.#take(connection);
    if (this.#family === AF_UNIX) this.#connectToPath(connection, address);
    else connection.connect({ host: place?.host ?? "", port: place?.port ?? 0 });
    return () => (this.#connected ? 0 : this.#error !== 0 ? this.#error : WOULD_BLOCK);
  }

  #connectToPath(connection: Socket, path: string): void {
    const listener = ownListenerAt(path);
    this.#connectedTo = listener;
    if (listener !== undefined) connection.once("connect", () => listener.made++);
    connection.connect({ path });
  }

  /** The kernel's `struct ucred` of the other end, when it is known. */
  #peer(): Uint8Array | undefined {
    const isOwn = this.#acceptedBy !== undefined ? hasOnlyOwnPeers(this.#acceptedBy) : this.#connectedTo !== undefined;
    return isOwn && this.#connected ? ownCredentials() : undefined;
  }

  /** Whether something has been received, and not as much as is asked for. */
  holdsLessThan(length: number): boolean {
    return this.#bytes.size > 0 && this.#bytes.size < length && !this.#readEnded;
  }

  read(most: number): Uint8Array | number | WouldBlock {
    if (this.#bytes.size > 0) return this.#chunk(most);
    if (this.#error !== 0) return this.takeError();
    if (this.#readEnded) return new Uint8Array(0);
    return this.#connected ? WOULD_BLOCK : errno("ENOTCONN");
  }

  write(bytes: Uint8Array, all: boolean): number | WouldBlock | Pending {
    const connection = this.#connection;
    if (this.#error !== 0) return this.takeError();
    if (connection === undefined || !this.#connected) return errno("ENOTCONN");
    if (this.#writeEnded || connection.destroyed) return errno("EPIPE");
    if (!all && connection.writableNeedDrain) return WOULD_BLOCK;
    let result: number | WouldBlock = all ? WOULD_BLOCK : bytes.length;
    connection.write(bytes, (error) => {
      result = error ? errnoOf(error) : bytes.length;
      if (error && all) this.#errorIsTold = true;
      this.#changed();
    });
    return all ? () => result : result;
  }

  shutdown(how: number): number {
    if (this.#listener !== undefined) {
      // Whoever waits in accept(2) learns that nobody will come.
      this.#listener.close();
      this.#changed();
      return 0;
    }
    if (this.#connection === undefined || !this.#connected) return errno("ENOTCONN");
    if (how !== 1) this.#readEnded = true;
    if (how !== 0) {
      this.#writeEnded = true;
      this.#connection.end();
    }
    return 0;
  }

  /** 0 when the option has no meaning here. */
  setOption(option: number, value: number): number {
    if (option === 2) this.#noDelay = value !== 0;
    if (option === 6) this.#keepAlive = value !== 0;
    if (option === 7) return -this.takeError();
    this.#applyOptions();
    return 0;
  }

  name(which: number): string | number {
    if (this.#family === AF_UNIX) return which === 0 ? (this.#bound ?? "") : "";
    if (which === 1) {
      const { remoteAddress, remotePort } = this.#connection ?? {};
      return remoteAddress === undefined ? errno("ENOTCONN") : addressText(remoteAddress, remotePort ?? 0);
    }
    const own = this.#listener?.address();
    if (typeof own === "object" && own !== null) return addressText(own.address, own.port);
    const { localAddress, localPort } = this.#connection ?? {};
    return localAddress === undefined ? (this.#bound ?? "0.0.0.0:0") : addressText(localAddress, localPort ?? 0);
  }

  readable(): boolean {
    return this.#bytes.size > 0 || this.#readEnded || this.#queue.length > 0 || this.#error !== 0;
  }

  writable(): boolean {
    return this.#error !== 0 || (this.#connected && this.#connection?.writableNeedDrain !== true);
  }

  hungUp(): boolean {
    return this.#readEnded && (this.#writeEnded || this.#connection?.destroyed === true);
  }

  failed(): boolean {
    return this.#error !== 0;
  }

  /** The pending error, which is forgotten by that. */
  takeError(): number {
    const error = this.#error;
    this.#error = 0;
    return error;
  }

  close(): void {
    this.#listener?.close();
    if (this.#listens !== undefined) forgetListener(this.#listens);
    for (const waiting of this.#queue) waiting.close();
    const connection = this.#connection;
    if (connection === undefined) return;
    // What was written is still delivered; what was not read makes the peer see a reset, as with close(2).
    if (this.#bytes.size > 0) connection.destroy();
    else connection.end(() => connection.destroy());
  }

  #take(connection: Socket): void {
    this.#connection = connection;
    this.#applyOptions();
    connection.on("data", (chunk: Uint8Array) => {
      if (!this.#readEnded) {
        this.#bytes.push(chunk);
        if (this.#bytes.size >= READ_AHEAD) connection.pause();
      }
      this.#changed();
    });
    connection.once("end", () => {
      this.#readEnded = true;
      this.#changed();
    });
    connection.on("error", (error) => {
      if (!this.#errorIsTold) this.#error = errnoOf(error);
      this.#changed();
    });
    connection.once("close", () => {
      this.#readEnded = true;
      this.#changed();
    });
    connection.on("drain", this.#changed);
    connection.resume();
  }

  #applyOptions(): void {
    if (this.#noDelay) this.#connection?.setNoDelay(true);
    if (this.#keepAlive) this.#connection?.setKeepAlive(true);
  }

  #chunk(most: number): Uint8Array {
    const bytes = this.#bytes.take(most);
    if (this.#bytes.size < READ_AHEAD) this.#connection?.resume();
    return bytes;
  }
}
