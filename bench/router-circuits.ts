/** Circuits between scripted routers, for `routers.ts`. */
import { circuitHeader } from '../src/fabric/control-channel/header-fields.ts';
import { messages } from '../src/fabric/control-channel/messages/index.ts';
import type { LeanRouter } from './lean-router.ts';

const { createCircuit, createCircuitResponse, fault } = messages.circuits;
const { routerLinks } = messages.links;

/** The tokens of a client or host, and of its session for the service. */
export interface Tokens {
  readonly apiSessionToken: string;
  readonly sessionToken: string;
}
interface Rate {
  readonly perMinute: number;
  readonly seconds: number;
}

/** Number of routers that host the service, and to which all others have links. */
export const HUBS = 10;

/** Links all routers to the hubs, and the hubs to each other. */
export const linkAll = (connected: readonly LeanRouter[]): void => {
  const hubs = connected.slice(0, HUBS);
  for (const [at, router] of connected.entries()) {
    const ends = at < HUBS ? hubs.slice(at + 1) : [hubs[at % HUBS], hubs[(at + 3) % HUBS]];
    const others = [...new Set(ends)].flatMap((end) => end ?? []);
    const links = others.map((end) => ({ id: `${router.id}-${end.id}`, destRouterId: end.id, linkProtocol: 'tls', iteration: 1 }));
    if (links.length > 0) router.send(routerLinks, { links });
  }
};

/** Circuits at an even rate, each by another router, ended when ten others have been set up. @returns their number, and of those refused */
export const dial = async (tokens: Tokens, connected: readonly LeanRouter[], { perMinute, seconds }: Rate) => {
  let refused = 0;
  const peerData = new Map([[1003, new Uint8Array(32)]]);
  const open: (() => void)[] = [];
  const pending = new Set<Promise<void>>();
  const one = async (router: LeanRouter): Promise<void> => {
    const headers = [
      circuitHeader.sessionToken.of(tokens.sessionToken),
      circuitHeader.apiSessionToken.of(tokens.apiSessionToken),
      circuitHeader.peerData.of(peerData),
      circuitHeader.instanceId.of(''),
    ];
    const answer = await router.request(createCircuit, '', { headers, milliseconds: 60_000 });
    // On a busy machine, routers may answer too late.
    if (answer.contentType !== createCircuitResponse.contentType) return void refused++;
    const id = circuitHeader.circuitId.required(answer);
    open.push(() => router.send(fault, { subject: 'ingress', id }));
    if (open.length > 10) open.shift()?.();
  };
  const began = performance.now();
  let count = 0;
  for (const total = (perMinute * seconds) / 60; count < total; await new Promise((resolve) => setTimeout(resolve, 20)))
    for (const due = ((performance.now() - began) * perMinute) / 60_000; count < Math.min(due, total); count++) {
      const router = connected[(count * 7) % connected.length];
      if (!router) continue;
      const dialed = one(router).finally(() => pending.delete(dialed));
      pending.add(dialed);
    }
  await Promise.all(pending);
  for (const end of open) end();
  return { count, refused };
};
