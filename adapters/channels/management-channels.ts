import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { clearTimeout, setTimeout } from 'node:timers';
import { type WebSocket, WebSocketServer } from 'ws';
import { checkedOptions } from '../../src/adapter-kit.ts';
import type { ManagementController } from '../../src/index.ts';
import { openManagementChannelOf } from '../../src/routers.ts';
import { mountPoint, withoutMount } from '../http/mount.ts';
import { type RefusalStatus, refusalBody, refusalHeaders } from '../http/refusal.ts';
import { readProxies, type TrustedProxies } from '../http/trusted-proxies.ts';
import type { UpgradeHandler } from '../http/upgrade-handler.ts';
import { peerCertificates } from '../tls/peer-certificates.ts';

/** Options of the management channels of operators. */
export interface ManagementChannelOptions {
  /** Path under which the controller is mounted. Default: the root. */
  readonly mount?: string;
  /** See `NodeOptions.trustedProxies`. */
  readonly trustedProxies?: TrustedProxies | readonly TrustedProxies[];
}

/** Maximum number of bytes of a message from an operator. */
const MAX_MESSAGE = 1_048_576;
/** Time in which a message must leave the buffers of the process. ms */
const SEND_TIMEOUT_MS = 30_000;
/** Time without data after which TCP begins to check that the other end is alive. ms */
const KEEP_ALIVE_MS = 60_000;
const PATH = '/fabric/v1/ws-api';

/** @returns a function that recognizes requests for a management channel below this path */
export const isChannelRequest = (mount?: string): UpgradeHandler['isFor'] => {
  const prefix = mountPoint(mount);
  return ({ url = '/', headers }) => headers.upgrade?.toLowerCase() === 'websocket' && withoutMount(prefix, url)?.split('?', 1)[0] === PATH;
};

/**
 * Serves the management channel, by which the command line of the reference streams events and inspects routers: a WebSocket at
 * `/fabric/v1/ws-api`. Pass it to `serve` as `channels`, or add it to a server of your own. It closes connections for other paths: a server
 * with other WebSockets passes it only the requests of the channel.
 *
 * ```ts
 * const channels = managementChannels(controller);
 * server.on('upgrade', (req, socket, head) => {
 *   if (channels.isFor(req)) channels.upgrade(req, socket, head);
 * });
 * ```
 */
export const managementChannels = (controller: ManagementController, options: ManagementChannelOptions = {}): UpgradeHandler => {
  const { mount, trustedProxies } = checkedOptions('managementChannels', options, { mount: true, trustedProxies: true });
  const proxies = trustedProxies && readProxies(trustedProxies);
  const open = openManagementChannelOf(controller);
  const server = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: MAX_MESSAGE });
  const sockets = new Set<WebSocket>();
  let isClosed = false;

  const isFor = isChannelRequest(mount);

  const upgrade = async (req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    socket.on('error', () => socket.destroy());
    if (!isFor(req)) return refuse(socket, 400);
    const given = req.socket.remoteAddress ?? '';
    const opened = await open({
      header: (name) => (Array.isArray(req.headers[name]) ? req.headers[name].join(', ') : req.headers[name]),
      peerCertificates: proxies?.certificatesOf(req) ?? peerCertificates(req.socket),
      remoteAddress: proxies?.addressOf(req, given) ?? given,
    });
    if (opened.status !== 101) return refuse(socket, opened.status);
    // Also if the handshake fails.
    socket.once('close', opened.release);
    if (isClosed || socket.destroyed) {
      opened.release();
      socket.destroy();
      return;
    }
    server.handleUpgrade(req, socket, head, (connection) => {
      req.socket.setKeepAlive(true, KEEP_ALIVE_MS);
      sockets.add(connection);
      const channel = opened.serve({ send: (message) => sendTo(connection, message), cut: () => connection.terminate() });
      connection.on('close', () => {
        sockets.delete(connection);
        channel.ended();
      });
      connection.on('error', () => connection.terminate());
      connection.on('message', (data, isBinary) => {
        if (isBinary && data instanceof Uint8Array) channel.receive(data);
        else connection.terminate();
      });
    });
  };
  return {
    isFor,
    upgrade: (req, socket, head) => void upgrade(req, socket, head).catch(() => socket.destroy()),
    close: () => {
      isClosed = true;
      for (const connection of sockets) connection.terminate();
    },
  };
};

/** Waits until the message has been written; ends a connection that does not take it. */
const sendTo = (connection: WebSocket, message: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => connection.terminate(), SEND_TIMEOUT_MS);
    connection.send(message, () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Answers a request for an upgrade, and closes the connection. */
const refuse = (socket: Duplex, status: RefusalStatus): void => {
  const body = refusalBody(status);
  const headers = { ...refusalHeaders(status), 'content-length': Buffer.byteLength(body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
};
