// Socket addresses as text: `127.0.0.1:80`, `[::1]:80`, `/path`.

export interface InternetAddress {
  readonly host: string;
  readonly port: number;
}

/** `undefined` when the text is no address of a host and a port. */
export function internetAddress(text: string): InternetAddress | undefined {
  const match = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const port = Number(match[3]);
  return port <= 65535 ? { host: match[1] ?? match[2] ?? "", port } : undefined;
}

export function addressText(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
