import type * as z from 'zod';
import type { authenticationMethod } from '../../../api/authentication.ts';
import type { ApiSessionActor } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import type { LoginBody, OpenSession } from './login.ts';
import { loginByCertificate } from './methods/cert.ts';
import { loginByExternalToken } from './methods/ext-jwt.ts';
import { loginByPassword } from './methods/password.ts';

/** One way to log in. @throws ApiError `INVALID_AUTH` for a caller who proves no identity that may log in by it */
type LoginMethod = (call: Call, body: LoginBody, open: OpenSession) => Promise<ApiSessionActor>;

/** The ways to log in: a function for each that the contract declares, or this does not compile. */
export const loginMethods: { readonly [M in z.infer<typeof authenticationMethod>]: LoginMethod } = {
  password: loginByPassword,
  cert: loginByCertificate,
  'ext-jwt': loginByExternalToken,
};
