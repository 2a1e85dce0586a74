/** Small worlds, so that what is drawn meets: few attributes, few values, and times around the ends of timeouts and grace periods. */
import fc from 'fast-check';
import type { Entity, Semantic } from './model.ts';
import type { Rules, System, Told } from './posture.ts';

const words = fc.constantFrom('a', 'b', 'c');
export const attributes = fc.uniqueArray(words, { maxLength: 3 });
/** Of a list that is there when the command runs, which one. */
export const which = fc.nat(11);
export const semantic: fc.Arbitrary<Semantic> = fc.constantFrom('AllOf', 'AnyOf');
export const right = fc.constantFrom('Dial' as const, 'Bind' as const);

/** Roles, with the entities that they name to be looked up when the command runs. */
export type Roles = 'all' | { readonly words: readonly string[]; readonly picks: readonly number[] };
export const roles: fc.Arbitrary<Roles> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Roles>('all') },
  {
    weight: 4,
    arbitrary: fc.record({
      words: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'nobody'), { maxLength: 2 }),
      picks: fc.array(which, { maxLength: 1 }),
    }),
  },
);
export const rolesIn = (given: Roles, entities: readonly Entity[]): string[] =>
  given === 'all'
    ? ['#all']
    : [
        ...given.words.map((word) => `#${word}`),
        ...new Set(given.picks.flatMap((n) => (entities.length === 0 ? [] : [`@${entities[n % entities.length]?.id}`]))),
      ];

/** `''` is none. */
const hash = fc.constantFrom('aa', 'AA:00', 'bb', '');
const hashes = fc.uniqueArray(fc.constantFrom('aa', 'aa00', 'bb'), { maxLength: 2 });
const path = fc.constantFrom('/p', '/q');
const process = { osType: fc.constantFrom<System[]>('Linux', 'WINDOWS'), path, hashes };
const address = fc.constantFrom('AA:BB', 'aa-bb', 'cc', 'dd');
const domain = fc.constantFrom('home.test', 'HOME.test', 'cafe.test');
const someOf = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: 1, maxLength: 2 });

/** The rules of a check of each type: of one that is there, those of its type are taken. */
export const rulesOfEach = fc.record({
  OS: fc.record<Rules & { typeId: 'OS' }>({
    typeId: fc.constant('OS'),
    operatingSystems: someOf(
      fc.record({
        type: fc.constantFrom<System[]>('Linux', 'WINDOWS', 'WINDOWS_SERVER', 'iOS'),
        versions: fc.uniqueArray(fc.constantFrom('>=5.0.0 <6.0.0', '10.0.19045', '<5.4.0 || >=6.0.0', '5.4.0'), { maxLength: 2 }),
      }),
    ),
  }),
  MAC: fc.record<Rules & { typeId: 'MAC' }>({ typeId: fc.constant('MAC'), macAddresses: someOf(address) }),
  DOMAIN: fc.record<Rules & { typeId: 'DOMAIN' }>({ typeId: fc.constant('DOMAIN'), domains: someOf(domain) }),
  PROCESS: fc.record<Rules & { typeId: 'PROCESS' }>({
    typeId: fc.constant('PROCESS'),
    process: fc.record({ ...process, signerFingerprint: hash }),
  }),
  PROCESS_MULTI: fc.record<Rules & { typeId: 'PROCESS_MULTI' }>({
    typeId: fc.constant('PROCESS_MULTI'),
    semantic: fc.constantFrom('AllOf', 'AnyOf', 'OneOf'),
    processes: fc.uniqueArray(fc.record({ ...process, signerFingerprints: hashes }), {
      minLength: 1,
      maxLength: 2,
      selector: ({ osType, path }) => osType + path,
    }),
  }),
  MFA: fc.record<Rules & { typeId: 'MFA' }>({
    typeId: fc.constant('MFA'),
    timeoutSeconds: fc.constantFrom(-1, 0, 60, 300, 600),
    promptOnWake: fc.boolean(),
    promptOnUnlock: fc.boolean(),
  }),
});
/** Second factors have the most to go wrong. */
export const typeId = fc.constantFrom('OS', 'MAC', 'DOMAIN', 'PROCESS', 'PROCESS_MULTI', 'MFA', 'MFA', 'MFA');

/** What endpoints tell; `check` says which check's id it is told under. */
export const told: fc.Arbitrary<Told & { readonly check: number }> = fc.oneof(
  fc.record({
    typeId: fc.constant('OS' as const),
    id: fc.constant('any'),
    check: which,
    type: fc.constantFrom('linux', 'Windows', 'windowsserver', 'iOS', ''),
    version: fc.constantFrom('5.4.0', '5.4', '6.1.0', '10.0', ''),
    build: fc.constantFrom('19045', ''),
  }),
  fc.record({
    typeId: fc.constant('MAC' as const),
    id: fc.constant('any'),
    check: which,
    macAddresses: fc.array(address, { maxLength: 2 }),
  }),
  fc.record({ typeId: fc.constant('DOMAIN' as const), id: fc.constant('any'), check: which, domain: fc.oneof(domain, fc.constant('')) }),
  fc.record({
    typeId: fc.constant('PROCESS' as const),
    id: fc.constant('any'),
    check: which,
    path: fc.oneof(path, fc.constant('')),
    isRunning: fc.boolean(),
    hash,
    signerFingerprints: fc.array(hash, { maxLength: 2 }),
  }),
  fc.record({
    typeId: fc.constant('ENDPOINT_STATE' as const),
    id: fc.constant('any'),
    check: which,
    woken: fc.boolean(),
    unlocked: fc.boolean(),
  }),
);

const MINUTE = 60_000;
/** ms. Half an hour is the end of sessions that nobody uses; no other comes near it. */
export const duration = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom(
      1,
      1000,
      30_000,
      MINUTE - 1,
      MINUTE,
      5 * MINUTE - 1,
      5 * MINUTE,
      5 * MINUTE + 1,
      10 * MINUTE,
      10 * MINUTE + 1,
    ),
  },
  { weight: 1, arbitrary: fc.constant(31 * MINUTE) },
);
export const minutes = fc.constantFrom(0, 1, 10);
