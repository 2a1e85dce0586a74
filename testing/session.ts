import type { Api, ManagementController, PostureCheck } from '../src/index.ts';
import { authenticatorApps } from './authenticator-app.ts';
import type { TestClock } from './clock.ts';
import type { TestEntity } from './entity.ts';
import { reportsFor } from './posture.ts';

/** An API session: the operations, called with its rights, and actions of its endpoint. */
export interface TestSession extends Api {
  /** Id of the API session. */
  readonly id: string;
  /** Token of the API session, for `controller.as` or the header `zt-session`. */
  readonly token: string;
  /** Id of the identity that logged in. */
  readonly identityId: string;
  /**
   * Reports endpoint data that satisfies all of these posture checks, and submits a code if one of them is an MFA check. A later report
   * replaces an earlier one of the same type, so checks that must pass simultaneously have to be in one call.
   *
   * ```ts
   * const linux = await network.postureCheck('linux', { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=6.0.0'] }] });
   * await session.satisfy(linux);
   * ```
   * @throws ApiError `NOT_FOUND` for an unknown check; TypeError if no endpoint can satisfy all of them
   */
  satisfy(...checks: readonly Pick<TestEntity, 'id'>[]): Promise<void>;
  /**
   * Submits a TOTP code, to complete a login that requires one. Enrolls the identity in MFA first if necessary.
   * @throws ApiError `MFA_INVALID_TOKEN`; TypeError if the identity was enrolled in MFA by other means, or if all currently valid codes
   * have been used
   */
  passCode(): Promise<void>;
}

type Login = Pick<TestSession, 'id' | 'token' | 'identityId'>;

/** Creates test sessions from logins. All sessions of an identity share one authenticator app. */
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
        const reports = reportsFor(found);
        if (reports.length > 0) await api.postureResponses.createBulk({ body: reports });
        if (found.some(({ typeId }) => typeId === 'MFA')) await passCode();
      },
    };
  };
};
