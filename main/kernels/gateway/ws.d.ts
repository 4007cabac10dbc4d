/** What is used of the package `ws`, which comes without types: a WebSocket for Node that takes headers and TLS options. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { ClientRequest, IncomingMessage } from 'node:http';
  import type { ConnectionOptions } from 'node:tls';

  interface ClientOptions extends ConnectionOptions {
    headers?: Record<string, string>;
    /** Milliseconds until the server must have accepted. */
    handshakeTimeout?: number;
    /** Bytes of one message; 0 is no limit. */
    maxPayload?: number;
    perMessageDeflate?: boolean;
  }

  interface Events {
    open: [];
    upgrade: [response: IncomingMessage];
    'unexpected-response': [request: ClientRequest, response: IncomingMessage];
    error: [error: Error];
    close: [code: number, reason: Buffer];
  }

  export default class WebSocket extends EventEmitter<Events> {
    constructor(address: string | URL, protocols: string | string[] | undefined, options: ClientOptions);
    /** The subprotocol that was agreed on; empty for none. */
    readonly protocol: string;
    ping(): void;
    /** Ends the connection at once, without the closing handshake. */
    terminate(): void;
  }
}
