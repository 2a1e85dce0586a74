import type { DenialReason } from '../authorization/authorization.ts';
import { RequestRefused, refusalOf } from '../authorization/authorize.ts';
import { routeErrorCode } from '../control-channel/messages/circuits.ts';
import { Unanswered } from '../control-channel/requests.ts';
import { RouteFailed } from './route.ts';

const ROUTER_CAUSES: Readonly<Record<number, string>> = {
  [routeErrorCode.invalidTerminator]: 'ROUTER_ERR_INVALID_TERMINATOR',
  [routeErrorCode.misconfiguredTerminator]: 'ROUTER_ERR_MISCONFIGURED_TERMINATOR',
  [routeErrorCode.timedOut]: 'ROUTER_ERR_DIAL_TIMED_OUT',
  [routeErrorCode.refused]: 'ROUTER_ERR_CONN_REFUSED',
};

/**
 * The cause of a failure to set up a circuit, as events name it. Requests that are refused before a path is looked for concern an invalid
 * service.
 */
export const causeOf = (error: unknown): string => {
  if (error instanceof Unanswered) return 'ROUTER_RESPONSE_TIMEOUT';
  if (error instanceof RouteFailed) return ROUTER_CAUSES[error.code] ?? 'ROUTER_ERR_GENERIC';
  if (error instanceof RequestRefused && error.cause !== undefined) return causeOfText(error.cause);
  return 'INVALID_SERVICE';
};

const causeOfText = (cause: unknown): string => (typeof cause === 'string' ? cause : causeOf(cause));

const WORDS: Readonly<Record<string, string>> = {
  NO_TERMINATORS: 'nothing hosts the service',
  NO_ONLINE_TERMINATORS: 'no router by which the service is hosted is connected',
  NO_PATH: 'no path of links leads to the service',
  ROUTER_ERR_INVALID_TERMINATOR: 'the host no longer offers the service',
  ROUTER_ERR_MISCONFIGURED_TERMINATOR: 'the router of the host cannot reach the address of the terminator',
  ROUTER_ERR_DIAL_TIMED_OUT: 'the host did not answer in time',
  ROUTER_ERR_CONN_REFUSED: 'the host refused the connection',
  ROUTER_ERR_GENERIC: 'a router on the path could not set up the circuit',
  ROUTER_RESPONSE_TIMEOUT: 'a router on the path did not answer in time',
};

const DENIALS: Readonly<Record<DenialReason, string>> = {
  apiSession: 'the client is not logged in, or its identity is disabled',
  session: 'no service policy allows it, or the session has ended',
  service: 'the service does not exist',
  router: 'no edge router policies allow the router to the client and the service',
  tunneler: 'the router has no tunneler',
  policy: 'no service policy allows it to the tunneler of the router',
};

/** The cause in words. */
export const failureReasonOf = (error: unknown): string => {
  if (error instanceof RequestRefused && error.denied) return DENIALS[error.denied.reason];
  return WORDS[causeOf(error)] ?? refusalOf(error)[1];
};
