import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mediaType, negotiate } from '../../../src/http/media-types.ts';
import { proves } from '../../specification.ts';

const JSON_ONLY = ['application/json'];

test('what JSON clients send accepts JSON', proves(1), () => {
  const everyAccept = [
    undefined,
    '',
    '*/*',
    'application/json',
    'application/*',
    'APPLICATION/JSON',
    'text/html, application/json;q=0.5',
    'text/html, */*;q=0.1',
    'application/json; charset=utf-8',
    'text/html,application/xhtml+xml,*/*;q=0.8',
  ];
  for (const accept of everyAccept) {
    assert.equal(negotiate(accept, JSON_ONLY), 'application/json', accept);
  }
});

test('what names no JSON, or excludes it, accepts none', () => {
  for (const accept of [
    'text/html',
    'application/xml',
    'image/png',
    'application',
    'json',
    'application/json;q=0',
    '*/*;q=0',
    'application/json;q=0, */*',
    ',',
    'application/json;q=2',
    'application/json;q=x',
  ]) {
    assert.equal(negotiate(accept, JSON_ONLY), undefined, accept);
  }
});

test('of several offers the heaviest wins, and among equals the first', () => {
  const offers = ['application/json', 'text/yaml'];
  assert.equal(negotiate('text/yaml', offers), 'text/yaml');
  assert.equal(negotiate('*/*', offers), 'application/json');
  assert.equal(negotiate('application/json;q=0.1, text/*;q=0.2', offers), 'text/yaml');
  assert.equal(negotiate('text/*;q=0.9, text/yaml;q=0, application/*;q=0.1', offers), 'application/json');
});

test('a content type counts without case and parameters', () => {
  assert.equal(mediaType('Application/JSON ; charset=utf-8'), 'application/json');
  assert.equal(mediaType('application/jsonx'), 'application/jsonx');
});
