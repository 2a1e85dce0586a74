/** Bodies of external JWT signers, and what is shown of them. */
import type { App } from './app.ts';
import { party } from './pki.ts';

export const AT = '/external-jwt-signers';
export const ENDPOINT = 'https://issuer.example/keys';
export const [one, other] = await Promise.all([party('one'), party('other')]);

/** All that a signer needs but where its keys are. */
export const common = { name: 'mine', issuer: 'https://issuer.example', audience: 'us', enabled: true } as const;
/** What a signer that enrolls nobody shows of enrollment. */
export const NO_ENROLLMENT = {
  enrollToCertEnabled: false,
  enrollToTokenEnabled: false,
  enrollNameClaimsSelector: '/sub',
  enrollAuthPolicyId: 'default',
} as const;
export const byCertificate = { ...common, certPem: one.cert } as const;
export const byEndpoint = { ...common, jwksEndpoint: ENDPOINT } as const;

export const detail = async (app: App, id: string) => (await app.request('GET', `${AT}/${id}`)).body.data;
