import type { Api, ManagementController, PostureCheck } from '../src/index.ts';
import { authenticatorApps } from './authenticator-app.ts';
import type { TestClock } from './clock.ts';
import type { TestEntity } from './entity.ts';
import { factsFor } from './posture.ts';

/** An API session: the operations as it may call them, and what its endpoint does. */
export interface TestSession extends Api {
  /** Id of the API session. */
  readonly id: string;
  /** For `controller.as`, or the header `zt-session`. */
  readonly token: string;
  /** Id of the identity that logged in. */
  readonly identityId: string;
  /**
   * Reports endpoint data that satisfies all these posture checks together. For a check of MFA, it passes a code. A later report replaces an
   * earlier one of its type, so pass all checks that must hold simultaneously.
   *
   * ```ts
   * const linux = await network.postureCheck('linux', { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=6.0.0'] }] });
   * await session.satisfy(linux);
   * ```
   * @throws ApiError `NOT_FOUND` for an unknown check; TypeError if nothing meets them together
   */
  satisfy(...checks: readonly Pick<TestEntity, 'id'>[]): Promise<void>;
  /**
   * Gives a TOTP code, as a login that owes one must; enrolls the identity in MFA first if it has none.
   * @throws ApiError `MFA_INVALID_TOKEN`; TypeError if the identity was enrolled otherwise, or all codes of this moment are used
   */
  passCode(): Promise<void>;
}

type Login = Pick<TestSession, 'id' | 'token' | 'identityId'>;

/** Makes sessions of logins. Each identity has one authenticator app, whichever session uses it. */
export const testSession = (controller: ManagementController, clock: TestClock): ((login: Login) => TestSession) => {
  const apps = authenticatorApps(clock);
  return ({ id, token, identityId }) => {
    const api = controller.as(token);
    const passCode = () => apps.pass(identityId, api);
    return {
      ...api,
      id,
      token,
      identityId,
      passCode,
      satisfy: async (...checks) => {
        const found: PostureCheck[] = [];
        for (const check of checks) found.push(await controller.api.postureChecks.get({ id: check.id }));
        const facts = factsFor(found);
        if (facts.length > 0) await api.postureResponses.createBulk({ body: facts });
        if (found.some(({ typeId }) => typeId === 'MFA')) await passCode();
      },
    };
  };
};
