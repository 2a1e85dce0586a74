import { dataAndMeta, errorAndMeta } from './edge-envelope.ts';
import { bareJson } from './envelope.ts';
import { bareErrors, oauthErrors } from './oauth-errors.ts';
import { authorizationOnly, ztSession } from './session-rule.ts';
import { type Surface, surface } from './surface.ts';

const provider = { envelope: bareJson, session: authorizationOnly } as const;
const edge = { envelope: dataAndMeta, errorForm: errorAndMeta, session: ztSession } as const;

/** All API surfaces. An operation declares the surfaces that it is part of; `controller.only(surfaces.client)` mounts some of them. */
export const surfaces = {
  /** Operations of administrators. */
  management: surface({ name: 'management', prefix: '/edge/management/v1', ...edge }),
  /** Operations of devices. Older clients use other paths. */
  client: surface({ name: 'client', prefix: '/edge/client/v1', aliases: ['/edge/v1', '/'], ...edge }),
  /**
   * Operations beyond the published APIs. They refuse unknown parameters: no existing client relies on these being ignored, and without a
   * mistyped filter, a list would show too much.
   */
  extensions: surface({ name: 'extensions', prefix: '/edge/management/extensions/v1', ...edge, refusesUnknown: true }),
  /** The fabric: routers, terminators, links and circuits, for administrators. */
  fabric: surface({ name: 'fabric', prefix: '/fabric/v1', ...edge }),
  /** The OpenID provider. */
  oidc: surface({ name: 'oidc', prefix: '/oidc', ...provider, errorForm: oauthErrors, refusesRepeated: true }), // RFC 6749, 3.1
  /** The login steps of the OpenID provider. */
  oidcLogin: surface({
    name: 'oidcLogin',
    prefix: '/oidc/login',
    ...provider,
    errorForm: bareErrors,
    exposedHeaders: ['auth-request-id', 'totp-required'],
  }),
} as const;

/** Name of a surface. */
export type SurfaceName = keyof typeof surfaces;

export const allSurfaces: readonly Surface[] = Object.values(surfaces);

export const isProviderSurface = (surface: Surface): boolean => surface === surfaces.oidc || surface === surfaces.oidcLogin;

/** The surfaces of a controller whose OpenID provider is off. */
export const withoutProvider: readonly Surface[] = allSurfaces.filter((surface) => !isProviderSurface(surface));
