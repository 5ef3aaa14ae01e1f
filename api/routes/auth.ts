import type { Request } from 'express';
import { Failure } from '../../domain/failures.ts';
import { signedInSchema, signInBody, signInLinkBody, type User } from '../../domain/identity.ts';
import { callerOf } from '../../store/callers.ts';
import { takeSignInLink } from '../../store/sign-in-links.ts';
import { countSignInTry } from '../../store/sign-in-tries.ts';
import { findSignIn, findUser } from '../../store/users.ts';
import type { AppDeps } from '../app.ts';
import { passwordFits } from '../passwords.ts';
import { type Route, route } from '../route.ts';

const TRIES_PER_MINUTE = 10;
/** Against one address that tries many accounts, and many addresses that try one account. */
const WIDER_TRIES_PER_MINUTE = 100;

async function admitTry(req: Request, email: string): Promise<void> {
  const account = email.toLowerCase();
  const retry_after_s = await countSignInTry([
    { key: `both:${req.ip} ${account}`, perMinute: TRIES_PER_MINUTE },
    { key: `address:${req.ip}`, perMinute: WIDER_TRIES_PER_MINUTE },
    { key: `account:${account}`, perMinute: WIDER_TRIES_PER_MINUTE },
  ]);
  if (retry_after_s > 0) throw new Failure('too_many_requests', 'Too many tries to sign in.', { retry_after_s });
}

export function authRoutes({ identity }: AppDeps): Route[] {
  const signedIn = async (user: User) => ({
    status: 200 as const,
    body: { ...(await identity.issueToken(user.id)), user },
  });

  return [
    route({
      method: 'post',
      path: '/auth/sign-in',
      tag: 'Identity',
      summary: 'Sign in with e-mail address and password',
      auth: 'none',
      body: signInBody,
      shows: ['email'],
      replies: { 200: signedInSchema },
      handler: async ({ req, actAs, body: { email, password } }) => {
        await admitTry(req, email);
        const found = await findSignIn(email);
        if (found) await actAs(found.user.id);
        const fits = await passwordFits(found?.password_hash ?? null, password);
        if (!found || !fits) throw new Failure('bad_sign_in', 'The e-mail address or the password is wrong.');
        return signedIn(found.user);
      },
    }),
    route({
      method: 'post',
      path: '/auth/link',
      tag: 'Identity',
      summary: 'Sign in with the token of a one-time link',
      auth: 'none',
      body: signInLinkBody,
      replies: { 200: signedInSchema },
      handler: async ({ actAs, body }) => {
        const userId = await takeSignInLink(body.token);
        const caller = userId && (await callerOf(userId));
        if (!caller) throw new Failure('spent_link', 'This sign-in link was used already or has expired.');
        await actAs(caller.user_id);
        return signedIn(await findUser(caller, caller.user_id));
      },
    }),
  ];
}
