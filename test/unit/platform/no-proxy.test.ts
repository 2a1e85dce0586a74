import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNoProxy } from '../../../adapters/platform/proxies.ts';

const exempt: readonly (readonly [noProxy: string, urls: readonly string[], others: readonly string[]])[] = [
  ['', [], ['https://keys.example/', 'https://10.0.0.1/']],
  ['*', ['https://keys.example/', 'http://[fd00::1]/'], []],
  [
    'corp.example',
    ['https://corp.example/', 'https://a.b.corp.example/', 'https://CORP.example./'],
    ['https://notcorp.example/', 'https://corp.example.org/'],
  ],
  ['.corp.example', ['https://corp.example/', 'https://a.corp.example/'], ['https://notcorp.example/']],
  ['*.Corp.Example.', ['https://corp.example/', 'https://a.corp.example/'], ['https://example/']],
  [' a.example, b.example c.example ,', ['https://a.example/', 'https://b.example/', 'https://c.example/'], ['https://d.example/']],
  [
    'keys.example:8443',
    ['https://keys.example:8443/', 'http://a.keys.example:8443/'],
    ['https://keys.example/', 'https://keys.example:443/'],
  ],
  ['keys.example:443', ['https://keys.example/'], ['http://keys.example/']],
  ['keys.example:80', ['http://keys.example/'], ['https://keys.example/']],
  ['10.1.2.3', ['https://10.1.2.3/', 'http://10.1.2.3:8080/', 'https://0x0a010203/'], ['https://10.1.2.4/']],
  ['10.1.2.3:8080', ['http://10.1.2.3:8080/'], ['http://10.1.2.3/']],
  ['10.0.0.0/8', ['https://10.255.0.1/'], ['https://11.0.0.1/', 'https://keys.example/', 'https://[fd00::1]/']],
  ['fd00::/8', ['https://[fd12::1]/'], ['https://[fe00::1]/', 'https://10.0.0.1/']],
  ['fd00:0::1', ['https://[fd00::1]/'], ['https://[fd00::2]/']],
  ['[fd00::1]:8443', ['https://[fd00::1]:8443/'], ['https://[fd00::1]/']],
  ['[fd00::1]', ['https://[fd00::1]/', 'https://[fd00::1]:8443/'], ['https://[fd00::2]/']],
  ['10.0.0.0/99, 10.0.0.0/x, /, :, ., [], *.', [], ['https://10.0.0.1/', 'https://keys.example/']],
];

for (const [noProxy, urls, others] of exempt)
  test(`NO_PROXY ${JSON.stringify(noProxy)} exempts ${urls.join(' ') || 'nothing'}`, () => {
    const isExempt = parseNoProxy(noProxy);
    assert.deepEqual([urls.filter((url) => !isExempt(new URL(url))), others.filter((url) => isExempt(new URL(url)))], [[], []]);
  });
