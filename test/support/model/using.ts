import assert from 'node:assert/strict';
import fc from 'fast-check';
import { duration, told, which } from './arbitraries.ts';
import { always, type Command, command, pick, some } from './command.ts';
import { identityOf, type Login, type Model, outcomeOfDialling, settle, type Wish, wishesIn } from './model.ts';
import { answersTo, type Told } from './posture.ts';
import { giveCode, logIn, outcomeOf, type System } from './system.ts';

const pass = (model: Model, { app }: System, ms: number) => {
  app.clock.advance(`${ms}ms`);
  model.now += ms;
  settle(model);
};

export const newLogin = async (model: Model, { app }: System, n: number) => {
  const { id: identityId, username, disabledUntil, hasMfa } = pick(model.identities, n);
  if (disabledUntil > model.now) return assert.equal(await outcomeOf(() => logIn(app, username)), 'INVALID_AUTH');
  const { id, token } = await logIn(app, username);
  const times = { usedAt: model.now, passedAt: undefined, wokenAt: undefined, unlockedAt: undefined };
  model.logins.push({ id, token: token ?? '', identityId, owesCode: hasMfa, ...times });
};

const openIn = (model: Readonly<Model>) => wishesIn(model).filter((wish) => outcomeOfDialling(model, wish) === 'granted');

const ask = async (model: Model, { as }: System, wish: Wish) => {
  const { login, service, type } = wish;
  const there = model.sessions.find((one) => one.loginId === login.id && one.serviceId === service.id && one.type === type);
  const body = { serviceId: service.id, type };
  let id = '';
  const outcome = await outcomeOf(async () => ({ id } = await as(login).sessions.create({ body })));
  assert.equal(outcome, outcomeOfDialling(model, wish));
  if (outcome !== 'granted') return;
  if (there) assert.equal(id, there.id, 'the session that there is');
  else model.sessions.push({ id, loginId: login.id, serviceId: service.id, type });
};

const tell = async (model: Model, { as }: System, login: Login, facts: readonly Told[]) => {
  const work = () => as(login).postureResponses.createBulk({ body: facts });
  if (login.owesCode) return assert.equal(await outcomeOf(work), 'UNAUTHORIZED');
  await work();
  identityOf(model, login).told.push(...facts);
  for (const fact of facts) {
    if (fact.typeId !== 'ENDPOINT_STATE') continue;
    if (fact.woken) login.wokenAt = model.now;
    if (fact.unlocked) login.unlockedAt = model.now;
  }
};

/** What clients do, and time. */
export const using: readonly fc.WeightedArbitrary<Command>[] = [
  command('wait', 6, duration, always, async (model, system, ms) => pass(model, system, ms)),
  command('log in', 4, which, (model) => model.identities.length > 0 && model.logins.length < 3, newLogin),
  command('log out', 1, which, some('logins'), async (model, { as }, n) => {
    const login = pick(model.logins, n);
    await as(login).currentApiSession.delete();
    model.logins.splice(model.logins.indexOf(login), 1);
  }),
  command(
    'tell',
    6,
    fc.record({ which, facts: fc.array(told, { minLength: 1, maxLength: 3 }) }),
    some('logins'),
    async (model, system, { which, facts }) => {
      const idOf = (n: number) => (model.checks.length > 0 ? pick(model.checks, n).id : 'any');
      return tell(
        model,
        system,
        pick(model.logins, which),
        facts.map(({ check, ...fact }) => ({ ...fact, id: idOf(check) })),
      );
    },
  ),
  command('tell what checks ask for', 6, which, some('logins'), async (model, system, n) =>
    tell(
      model,
      system,
      pick(model.logins, n),
      model.checks.flatMap(({ id, rules }) => answersTo(id, rules)),
    ),
  ),
  // A code counts once, and so half a minute passes before it.
  command('give code', 6, which, some('logins'), async (model, system, n) => {
    pass(model, system, 30_000);
    const login = pick(model.logins, n);
    if (!login) return;
    await giveCode(system, login);
    identityOf(model, login).hasMfa = true;
    login.owesCode = false;
    login.passedAt = model.now;
  }),
  command(
    'ask for any session',
    6,
    which,
    (model) => wishesIn(model).length > 0,
    async (model, system, n) => ask(model, system, pick(wishesIn(model), n)),
  ),
  command(
    'ask for an open session',
    12,
    which,
    (model) => openIn(model).length > 0,
    async (model, system, n) => ask(model, system, pick(openIn(model), n)),
  ),
  command('end session', 1, which, some('sessions'), async (model, { app }, n) => {
    const session = pick(model.sessions, n);
    await app.controller.api.sessions.delete({ id: session.id });
    model.sessions.splice(model.sessions.indexOf(session), 1);
  }),
];
