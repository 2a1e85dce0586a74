import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { Standings } from '../../../adapters/http/standings.ts';

const ANN = { id: 'ann', isAdmin: false };
const ROOT = { id: 'root', isAdmin: true };
const NEWCOMER = { standing: 'newcomer', origin: '192.0.2.1' };

/** A request whose first header `Authorization` is followed by others. */
const requestOf = (headers: IncomingHttpHeaders, others: readonly string[] = []) => {
  const all = [headers.authorization ?? [], ...others].flat();
  return { headers, rawHeaders: all.flatMap((value) => ['Authorization', value]) };
};

const start = () => {
  let now = 0;
  const standings = new Standings(() => now);
  return {
    of: (headers: IncomingHttpHeaders, address = '192.0.2.1') => standings.of(requestOf(headers), () => address),
    note: (headers: IncomingHttpHeaders, identity: typeof ANN, others?: readonly string[]) =>
      standings.note(requestOf(headers, others), identity),
    forget: (headers: IncomingHttpHeaders) => standings.forget(requestOf(headers)),
    wait: (minutes: number) => {
      now += minutes * 60_000;
    },
  };
};

test('a client is a newcomer from its network until its token has been accepted', () => {
  const { of, note } = start();
  const headers = { 'zt-session': '11111111-2222-3333-4444-555555555555' };
  assert.deepEqual(of(headers), NEWCOMER);
  assert.equal(of({}, '2001:db8::1').origin, of({}, '2001:db8::2').origin);
  note(headers, ANN);
  assert.deepEqual(of(headers), { standing: 'identity', origin: 'ann' });
  note(headers, { ...ANN, isAdmin: true });
  assert.deepEqual(of(headers), { standing: 'administrator', origin: 'ann' });
});

test('bearer tokens are distinguished by their signatures', () => {
  const { of, note } = start();
  const token = (signature: string) => ({ authorization: `Bearer ${'e'.repeat(200)}.${signature.repeat(43)}` });
  note(token('a'), ROOT);
  assert.equal(of(token('a')).standing, 'administrator');
  assert.deepEqual(of(token('b')), NEWCOMER);
});

test('a token that is not accepted any more is forgotten', () => {
  const { of, note, forget } = start();
  const headers = { 'zt-session': 'of root' };
  note(headers, ROOT);
  forget(headers);
  assert.deepEqual(of(headers), NEWCOMER);
});

test('beside a token of its own, nobody has another one noted', () => {
  const { of, note } = start();
  note({ 'zt-session': 'made up', authorization: 'Bearer of ann' }, ANN);
  assert.deepEqual(of({ 'zt-session': 'made up' }), NEWCOMER);
  assert.deepEqual(of({ authorization: 'Bearer of ann' }), NEWCOMER);
});

test('with one token, nobody has any number of others noted, which would push out those of all clients', () => {
  const { of, note } = start();
  note({ authorization: 'Bearer of ann, Bearer made up' }, ANN);
  note({ authorization: 'Bearer made up' }, ANN, ['Bearer of ann']);
  for (const authorization of ['Bearer of ann, Bearer made up', 'Bearer made up']) assert.deepEqual(of({ authorization }), NEWCOMER);
});

test('a token that is used only where none is checked counts no longer than an unused session lasts', () => {
  const { of, note, wait } = start();
  const headers = { 'zt-session': 'of root' };
  note(headers, ROOT);
  wait(29);
  note(headers, ROOT);
  wait(29);
  assert.equal(of(headers).standing, 'administrator');
  wait(1);
  assert.deepEqual(of(headers), NEWCOMER);
  note(headers, ROOT);
  assert.equal(of(headers).standing, 'administrator');
});

test('the number of tokens is bounded, and those in use are kept', () => {
  const { of, note } = start();
  note({ 'zt-session': 'unused' }, ROOT);
  for (let i = 0; i < 100_000; i++) {
    note({ 'zt-session': `token ${i}` }, ANN);
    if (i % 10_000 === 0) note({ 'zt-session': 'in use' }, ROOT);
  }
  assert.equal(of({ 'zt-session': 'in use' }).standing, 'administrator');
  assert.equal(of({ 'zt-session': 'unused' }).standing, 'newcomer');
  assert.equal(of({ 'zt-session': 'token 0' }).standing, 'newcomer');
});
