/** On random networks and after random changes: the time of the last change moves if and only if the list of services is another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type App, onEveryStore } from '../support/app.ts';
import { anotherSession, checkOf, client } from '../support/posture.ts';

type Subset = readonly boolean[];
const RUNS = Number(process.env.RUNS ?? 25);

/** Three services, configs of two types, three policies and two checks, and Ann, who looks at them. */
const ground = async (app: App) => {
  const ann = await client(app, { roleAttributes: ['a'] });
  const types = [await app.create('/config-types', { name: 't0' }), await app.create('/config-types', { name: 't1' })];
  const configs: string[] = [];
  for (let i = 0; i < 4; i++) configs.push(await app.create('/configs', { name: `c${i}`, configTypeId: types[i % 2], data: { i } }));
  const services: string[] = [];
  for (const name of ['s0', 's1', 's2'])
    services.push(await app.create('/services', { name, encryptionRequired: true, configs: configs.slice(0, 1), roleAttributes: [name] }));
  const checks = [
    await checkOf(app, 'domain', { typeId: 'DOMAIN', domains: ['a.test'], roleAttributes: ['c'] }),
    await checkOf(app, 'mfa', { typeId: 'MFA', timeoutSeconds: 60, promptOnWake: true, promptOnUnlock: false }),
  ];
  const policies: string[] = [];
  for (let i = 0; i < 3; i++) {
    const roles = i === 2 ? {} : { identityRoles: ['#a'], serviceRoles: [`#s${i}`], postureCheckRoles: [`@${checks[i]}`] };
    policies.push(await app.create('/service-policies', { name: `p${i}`, type: i ? 'Bind' : 'Dial', semantic: 'AnyOf', ...roles }));
  }
  return { app, ann, types, configs, services, checks, policies };
};
type Ground = Awaited<ReturnType<typeof ground>>;
type Step = (ground: Ground) => Promise<unknown>;

const chosen = (names: readonly string[], which: Subset): string[] => names.filter((_, i) => which[i]);
const subset = (size: number) => fc.array(fc.boolean(), { minLength: size, maxLength: size });
const patching =
  (path: (ground: Ground) => string, body: (ground: Ground) => object): Step =>
  (all) =>
    all.app.request('PATCH', path(all), { body: body(all) });
const at = (list: readonly string[], i: number): string => list[i % list.length] ?? '';

const attributes = ['a', 'b', 'c'];
const step: fc.Arbitrary<readonly [string, Step]> = fc.oneof(
  fc.tuple(fc.nat(2), subset(3), subset(3), fc.nat(3)).map(([i, who, what, more]): readonly [string, Step] => [
    `policy ${i}`,
    patching(
      ({ policies }) => `/service-policies/${at(policies, i)}`,
      ({ ann, checks, services }) => ({
        identityRoles: [...chosen(attributes, who).map((each) => `#${each}`), ...(more === 1 ? [`@${ann.id}`] : [])],
        serviceRoles: [...chosen(['s0', 's1', 'none'], what).map((each) => `#${each}`), ...(more === 2 ? [`@${services[2]}`] : [])],
        postureCheckRoles: [[], [`@${checks[0]}`], [`@${checks[1]}`], ['#c']][more],
      }),
    ),
  ]),
  fc
    .tuple(
      fc.nat(2),
      fc.constantFrom({ semantic: 'AllOf' }, { semantic: 'AnyOf' }, { type: 'Dial' }, { type: 'Bind' }, { tags: { x: true } }),
    )
    .map(([i, body]): readonly [string, Step] => [
      `policy ${i} ${JSON.stringify(body)}`,
      patching(
        ({ policies }) => `/service-policies/${at(policies, i)}`,
        () => body,
      ),
    ]),
  subset(3).map((which): readonly [string, Step] => [
    'attributes',
    patching(
      ({ ann }) => `/identities/${ann.id}`,
      () => ({ roleAttributes: chosen(attributes, which) }),
    ),
  ]),
  fc.boolean().map((isAdmin): readonly [string, Step] => [
    `administrator: ${isAdmin}`,
    patching(
      ({ ann }) => `/identities/${ann.id}`,
      () => ({ isAdmin }),
    ),
  ]),
  fc.tuple(fc.nat(2), fc.constantFrom('s0', 's1', 'none')).map(([i, attribute]): readonly [string, Step] => [
    `service ${i} #${attribute}`,
    patching(
      ({ services }) => `/services/${at(services, i)}`,
      () => ({ roleAttributes: [attribute] }),
    ),
  ]),
  fc.tuple(fc.nat(2), fc.nat(3), fc.boolean()).map(([i, c, both]): readonly [string, Step] => [
    `configs of service ${i}`,
    patching(
      ({ services }) => `/services/${at(services, i)}`,
      ({ configs }) => ({ configs: both ? [configs[0], configs[1]] : [at(configs, c)] }),
    ),
  ]),
  fc.tuple(fc.nat(3), fc.nat(2)).map(([c, value]): readonly [string, Step] => [
    `data of config ${c}`,
    patching(
      ({ configs }) => `/configs/${at(configs, c)}`,
      () => ({ data: { value } }),
    ),
  ]),
  fc.nat(3).map((c): readonly [string, Step] => [
    `tags of config ${c}`,
    patching(
      ({ configs }) => `/configs/${at(configs, c)}`,
      () => ({ tags: { x: true } }),
    ),
  ]),
  fc.tuple(fc.nat(1), fc.nat(9)).map(([t, n]): readonly [string, Step] => [
    `type ${t}`,
    patching(
      ({ types }) => `/config-types/${at(types, t)}`,
      () => (n > 6 ? { tags: { x: true } } : { name: `type-${t}-${n}` }),
    ),
  ]),
  fc.tuple(fc.nat(2), fc.nat(3), fc.boolean()).map(([i, c, isGiven]): readonly [string, Step] => [
    `override of ${i} by ${c}: ${isGiven}`,
    ({ app, ann, services, configs }) =>
      app.request(isGiven ? 'POST' : 'DELETE', `/identities/${ann.id}/service-configs`, {
        body: [{ serviceId: at(services, i), configId: at(configs, c) }],
      }),
  ]),
  fc
    .constantFrom('a.test', 'b.test')
    .map((domain): readonly [string, Step] => [`tells ${domain}`, ({ ann }) => ann.tell({ typeId: 'DOMAIN', id: 'any', domain })]),
  fc.constant<readonly [string, Step]>([
    'wakes',
    ({ ann }) => ann.tell({ typeId: 'ENDPOINT_STATE', id: 'any', woken: true, unlocked: false }),
  ]),
  fc.constant<readonly [string, Step]>(['passes a code', ({ ann }) => ann.passCode()]),
  fc.tuple(fc.nat(1), fc.boolean()).map(([i, isIn]): readonly [string, Step] => [
    `check ${i}`,
    patching(
      ({ checks }) => `/posture-checks/${at(checks, i)}`,
      () => ({ typeId: i ? 'MFA' : 'DOMAIN', roleAttributes: isIn ? ['c'] : [] }),
    ),
  ]),
  fc
    .constantFrom('30s', '61s', '400s')
    .map((time): readonly [string, Step] => [`${time} go by`, async ({ app }) => app.clock.advance(time)]),
);

type Looker = Pick<Ground['ann'], 'get'>;
const lastChange = async ({ get }: Looker): Promise<string> => (await get('/current-api-session/service-updates')).body.data.lastChangeAt;

/** What the list shows, the time that is left aside, which goes down by itself. */
const shown = async ({ get }: Looker): Promise<string> => {
  const { status, text, body } = await get('/services?limit=500&configTypes=all');
  assert.equal(status, 200, text);
  return JSON.stringify(body.data, (key, value) => (key === 'timeoutRemaining' || key === 'timeoutAt' ? undefined : value), 1);
};

onEveryStore('service updates on random networks', (open) => {
  test('the time of the last change moves if and only if the list is another, and never back', { timeout: 600_000 }, async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
    const holds = fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
      await using app = await open();
      const all = await ground(app);
      // This one asks after every step, that one now and then.
      const rarely = await anotherSession(app, all.ann);
      let [time, list] = [await lastChange(all.ann), await shown(all.ann)];
      let [rareTime, rareList] = [await lastChange(rarely), await shown(rarely)];
      for (const [i, [name, work]] of steps.entries()) {
        app.clock.advance('1s');
        await work(all);
        const [nowTime, nowList] = [await lastChange(all.ann), await shown(all.ann)];
        assert.equal(nowTime !== time, nowList !== list, `${name}: ${time} ${nowTime}\n${list}\n${nowList}`);
        assert.equal(nowTime >= time, true);
        [time, list] = [nowTime, nowList];
        if (i % 4 < 3) continue;
        const [nowRareTime, nowRareList] = [await lastChange(rarely), await shown(rarely)];
        assert.equal(nowRareTime !== rareTime, nowRareList !== rareList, `the one who asks rarely: ${name}`);
        [rareTime, rareList] = [nowRareTime, nowRareList];
      }
    });
    await fc.assert(holds, { numRuns: RUNS, seed });
  });
});
