// Socket options by the system's numbers (Linux). Node sets only a few; the others are noted and read back, as a socket without effect would do.
import type { Socket } from "node:dgram";
import { errno, errnoOf } from "../errno.ts";

const SOL_SOCKET = 1;
const IPPROTO_IP = 0;
const SO_BROADCAST = 6;
const SO_PEERCRED = 17;
const IP_TTL = 2;
const IP_MULTICAST_IF = 32;
const IP_MULTICAST_TTL = 33;
const IP_MULTICAST_LOOP = 34;
const IP_ADD_MEMBERSHIP = 35;
const IP_DROP_MEMBERSHIP = 36;

export class SocketOptions {
  readonly #datagrams: Socket | undefined;
  readonly #peer: () => Uint8Array | undefined;
  readonly #noted = new Map<string, Uint8Array>();

  /** `datagrams`: the socket behind a datagram socket; stream sockets have none. `peer`: the `struct ucred` of the other end, when it is known. */
  constructor(datagrams?: Socket, peer: () => Uint8Array | undefined = () => undefined) {
    this.#datagrams = datagrams;
    this.#peer = peer;
  }

  set(level: number, option: number, value: Uint8Array): number {
    try {
      this.#apply(level, option, value);
    } catch (error) {
      return errnoOf(error);
    }
    this.#noted.set(`${level}/${option}`, value);
    return 0;
  }

  get(level: number, option: number): Uint8Array | number {
    if (level === SOL_SOCKET && option === SO_PEERCRED) return this.#peer() ?? errno("ENOPROTOOPT");
    return this.#noted.get(`${level}/${option}`) ?? new Uint8Array(4);
  }

  #apply(level: number, option: number, value: Uint8Array): void {
    const socket = this.#datagrams;
    if (socket === undefined) return;
    const number = () => new DataView(value.buffer, value.byteOffset).getInt32(0, true);
    if (level === SOL_SOCKET && option === SO_BROADCAST) socket.setBroadcast(number() !== 0);
    if (level !== IPPROTO_IP) return;
    switch (option) {
      case IP_TTL:
        socket.setTTL(number());
        break;
      case IP_MULTICAST_TTL:
        socket.setMulticastTTL(number());
        break;
      case IP_MULTICAST_LOOP:
        socket.setMulticastLoopback(number() !== 0);
        break;
      case IP_MULTICAST_IF:
        socket.setMulticastInterface(addressAt(value, 0));
        break;
      case IP_ADD_MEMBERSHIP:
        socket.addMembership(addressAt(value, 0), interfaceAt(value, 4));
        break;
      case IP_DROP_MEMBERSHIP:
        socket.dropMembership(addressAt(value, 0), interfaceAt(value, 4));
        break;
    }
  }
}

/** Four bytes as a dotted address. */
function addressAt(value: Uint8Array, offset: number): string {
  return [...value.subarray(offset, offset + 4)].join(".");
}

function interfaceAt(value: Uint8Array, offset: number): string | undefined {
  const address = addressAt(value, offset);
  return address === "0.0.0.0" ? undefined : address;
}
