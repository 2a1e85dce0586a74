import type { ServerOptions } from 'node:http';
import type { AnswerLimits } from '../../src/adapter-kit.ts';
import type { AdmissionLimits } from './admission.ts';
import { REQUEST_LIMITS } from './node-bridge.ts';
import type { BodyLimits } from './waiting-bodies.ts';

/** Limits of a server. */
export interface ServeLimits extends AdmissionLimits, BodyLimits, AnswerLimits {
  /** Maximum number of open connections; beyond it, new ones are closed. Default 10,000. */
  readonly maxConnections?: number;
  /** Milliseconds for the TLS handshake. Default 5,000. */
  readonly handshakeTimeoutMs?: number;
  /** Milliseconds within which the headers of a request must arrive. Default 5,000. */
  readonly headersTimeoutMs?: number;
  /**
   * Time limit for receiving the whole request, in milliseconds. Default 15,000, so that the controller's own, shorter limit usually
   * answers first.
   */
  readonly requestTimeoutMs?: number;
  /** Milliseconds that a connection may idle between requests. Default 5,000. */
  readonly keepAliveTimeoutMs?: number;
  /** Milliseconds without any traffic while a request is open. Default 100,000. */
  readonly socketTimeoutMs?: number;
  /** Maximum size of the request line and headers, in bytes. Default 16,384. */
  readonly maxHeaderBytes?: number;
}

/** The names of the limits, for the validation of options. */
export const SERVE_LIMITS = {
  maxConnections: true,
  handshakeTimeoutMs: true,
  headersTimeoutMs: true,
  requestTimeoutMs: true,
  keepAliveTimeoutMs: true,
  socketTimeoutMs: true,
  maxHeaderBytes: true,
  ...REQUEST_LIMITS,
} as const;

/** The limits in the form in which Node and the bridge take them. */
export const nodeLimits = (limits: ServeLimits) => {
  const {
    maxConnections = 10_000,
    handshakeTimeoutMs = 5000,
    headersTimeoutMs = 5000,
    requestTimeoutMs = 15_000,
    keepAliveTimeoutMs = 5000,
    socketTimeoutMs = 100_000,
    maxHeaderBytes = 16_384,
    ...request
  } = limits;
  const http: ServerOptions = {
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
    // The interval at which Node enforces the time limits above; its default is 30 seconds.
    connectionsCheckingInterval: Math.min(1000, Math.max(50, headersTimeoutMs / 4)),
  };
  const tls = { handshakeTimeout: handshakeTimeoutMs };
  const server = { maxConnections, timeout: socketTimeoutMs };
  return { http, tls, server, request };
};

export type NodeLimits = ReturnType<typeof nodeLimits>;
