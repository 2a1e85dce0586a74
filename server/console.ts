import type { Handling } from '../adapters/http/node.ts';
import { consoleHandler } from '../console/index.ts';
import { splitTarget } from '../src/adapter-kit.ts';
import { GUIDES, guidesRoute } from './guides.ts';
import { createDispatcher, isReading, type Route, refusal } from './routes.ts';

/** The path of the console, and the redirect URI of its logins. */
export const CONSOLE_PATH = '/console/';

/** Redirects browsers from `/` to the console. Programs, which do not accept HTML, get the answer of the API. */
const redirectFromRoot: Route = (request) =>
  splitTarget(request.target).path === '/' && isReading(request) && /\btext\/html\b/i.test(request.header('accept') ?? '')
    ? Promise.resolve(refusal(302, 'the console is at /console/', { location: `.${CONSOLE_PATH}`, vary: 'accept' }))
    : undefined;

/** The routes and APIs of the server, with the console and its guides beside them. */
export const withConsole = (routes: readonly Route[], api: Handling): Handling =>
  consoleHandler(createDispatcher([...routes, redirectFromRoot, guidesRoute], api), { guides: GUIDES });
