import type { Handling } from '../adapters/http/node.ts';
import { consoleHandler } from '../console/index.ts';
import { splitTarget } from '../src/adapter-kit.ts';
import { isReading, type Route, refusal, routed } from './routes.ts';

/** Where the console is, which is also the redirect URI of its logins. */
export const CONSOLE_PATH = '/console/';

/** Leads a browser that opens the address of the server to the console. Programs do not accept HTML, and get the answer of the API. */
const fromRoot: Route = (request) =>
  splitTarget(request.target).path === '/' && isReading(request) && /\btext\/html\b/i.test(request.header('accept') ?? '')
    ? Promise.resolve(refusal(302, 'the console is at /console/', { location: `.${CONSOLE_PATH}`, vary: 'accept' }))
    : undefined;

/** The routes and APIs of the server, with the console beside them. */
export const withConsole = (routes: readonly Route[], api: Handling): Handling => consoleHandler(routed([...routes, fromRoot], api));
