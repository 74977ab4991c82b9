// Datagram sockets over `dgram` (UDP only: Node has none for AF_UNIX).
import { type Socket, createSocket } from "node:dgram";
import { errno, errnoOf } from "../errno.ts";
import { addressText, internetAddress } from "./address.ts";
import { type Changed, type Descriptor, type Pending, WOULD_BLOCK, type WouldBlock } from "./descriptor.ts";
import { SocketOptions } from "./socket-options.ts";

/** Datagrams that wait for the program; later ones are lost, as in the kernel. */
const MOST_WAITING = 256;

interface Datagram {
  readonly bytes: Uint8Array;
  readonly from: string;
}

export class DatagramSocket implements Descriptor {
  nonblocking = false;
  readTimeout = 0;
  writeTimeout = 0;
  readonly options: SocketOptions;
  readonly #socket: Socket;
  readonly #changed: Changed;
  readonly #queue: Datagram[] = [];
  #bound: "no" | "binding" | "yes" = "no";
  #peer: string | undefined;
  #error = 0;

  constructor(family: number, changed: Changed) {
    this.#changed = changed;
    this.#socket = createSocket({ type: family === 10 ? "udp6" : "udp4", reuseAddr: false });
    this.options = new SocketOptions(this.#socket);
    this.#socket.on("message", (bytes, { address, port }) => {
      if (this.#queue.length < MOST_WAITING) this.#queue.push({ bytes, from: addressText(address, port) });
      changed();
    });
    this.#socket.on("listening", () => {
      this.#bound = "yes";
      changed();
    });
    this.#socket.on("error", (error) => {
      this.#error = errnoOf(error);
      changed();
    });
  }

  bind(address: string): number | Pending {
    const place = internetAddress(address);
    if (place === undefined || this.#bound !== "no") return errno("EINVAL");
    this.#bound = "binding";
    this.#socket.bind({ port: place.port, address: place.host, exclusive: true });
    return () => (this.#bound === "yes" ? 0 : this.#error !== 0 ? this.takeError() : WOULD_BLOCK);
  }

  connect(address: string): number {
    if (internetAddress(address) === undefined) return errno("EINVAL");
    this.#peer = address;
    return 0;
  }

  sendTo(bytes: Uint8Array, address: string): number | Pending {
    const place = internetAddress(address === "" ? (this.#peer ?? "") : address);
    if (place === undefined) return errno(address === "" ? "EDESTADDRREQ" : "EINVAL");
    let result: number | WouldBlock = WOULD_BLOCK;
    this.#socket.send(bytes, place.port, place.host, (error) => {
      result = error === null ? bytes.length : errnoOf(error);
      this.#changed();
    });
    return () => result;
  }

  receive(): Datagram | number | WouldBlock {
    if (this.#error !== 0) return this.takeError();
    return this.#queue.shift() ?? WOULD_BLOCK;
  }

  read(most: number): Uint8Array | number | WouldBlock {
    const datagram = this.receive();
    return typeof datagram === "object" ? datagram.bytes.subarray(0, most) : datagram;
  }

  write(bytes: Uint8Array): number | Pending {
    return this.sendTo(bytes, "");
  }

  setOption(option: number, value: number): number {
    if (option === 7) return -this.takeError();
    if (option === 5 && this.#bound === "yes") this.#socket.setBroadcast(value !== 0);
    else if (option === 5) this.#socket.once("listening", () => this.#socket.setBroadcast(value !== 0));
    return 0;
  }

  name(which: number): string | number {
    if (which === 1) return this.#peer ?? errno("ENOTCONN");
    if (this.#bound !== "yes") return "0.0.0.0:0";
    const { address, port } = this.#socket.address();
    return addressText(address, port);
  }

  readable(): boolean {
    return this.#queue.length > 0 || this.#error !== 0;
  }

  writable(): boolean {
    return true;
  }

  hungUp(): boolean {
    return false;
  }

  failed(): boolean {
    return this.#error !== 0;
  }

  takeError(): number {
    const error = this.#error;
    this.#error = 0;
    return error;
  }

  close(): void {
    this.#socket.close();
  }
}
