import { generateSync } from 'otplib';
import { acceptedIntervals, INTERVAL } from '../src/identity/mfa/totp.ts';
import { type Api, ApiError } from '../src/index.ts';
import type { TestClock } from './clock.ts';

/** An authenticator app: its secret, and the intervals whose codes have been used. */
interface App {
  readonly secret: string;
  readonly used: Set<number>;
}

/** The authenticator apps of all identities of a network. */
export const authenticatorApps = (clock: TestClock) => {
  const apps = new Map<string, App>();

  const enroll = async (identityId: string, { currentMfa }: Api, provisioningUrl: string): Promise<void> => {
    const secret = new URL(provisioningUrl).searchParams.get('secret') ?? '';
    const app: App = { secret, used: new Set() };
    apps.set(identityId, app);
    await currentMfa.verify({ body: { code: nextCode(app, clock) } });
  };

  return {
    /** Submits a code in this session. Enrolls the identity in MFA first if necessary. */
    pass: async (identityId: string, session: Api): Promise<void> => {
      const state = await session.currentMfa.get().catch(async (error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error;
        await session.currentMfa.enroll();
        return session.currentMfa.get();
      });
      if (state.provisioningUrl) return enroll(identityId, session, state.provisioningUrl);
      const app = apps.get(identityId);
      if (!app) throw new TypeError(`identity ${identityId} was enrolled in MFA without passCode, so its secret is unknown`);
      await session.authentication.authenticateMfa({ body: { code: nextCode(app, clock) } });
    },
  };
};

/** An unused code of the current interval, or of the nearest other interval that is accepted. */
const nextCode = ({ secret, used }: App, clock: TestClock): string => {
  const accepted = acceptedIntervals(clock.now());
  const current = accepted[Math.floor(accepted.length / 2)] ?? 0;
  const unused = accepted.filter((interval) => !used.has(interval)).sort((a, b) => Math.abs(a - current) - Math.abs(b - current));
  const [interval] = unused;
  if (interval === undefined) throw new TypeError(`all ${accepted.length} currently valid codes have been used: advance the clock by 30s`);
  used.add(interval);
  return generateSync({ secret, epoch: interval * INTERVAL });
};
