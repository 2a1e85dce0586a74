import assert from 'node:assert/strict';
import { BlockList, isIP } from 'node:net';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { addressRule, canonicalAddress, literalAddress } from '../../../src/runtime/platform/addresses.ts';

const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '172.15.255.255',
  '172.32.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '2606:4700::1111',
  '64:ff9b::8.8.8.8',
  '::ffff:8.8.8.8',
  '2002:808:808::1',
];
const LOOPBACK = [
  '127.0.0.1',
  '127.255.255.254',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '::ffff:0:127.0.0.1',
  '::1%lo',
];
const PRIVATE = [
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '198.18.0.1',
  'fd12::1',
  'fc00::1',
  'fec0::1',
  '::ffff:10.0.0.1',
  '64:ff9b::10.1.2.3',
  '64:ff9b:1::1',
  '2002:a00:1::1',
];
const NEVER = [
  ...[
    '169.254.169.254',
    '169.254.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '0.0.0.0',
    '0.1.2.3',
    '224.0.0.1',
    '255.255.255.255',
  ],
  ...['fe80::1', 'fe80::1%eth0', 'febf::1', 'fd00:ec2::254', 'fd20:ce::254', '::', 'ff02::1', '2001:0:1::1', '4000::1'],
  ...['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::', '::169.254.169.254', '::ffff:0:0'],
];
const NONE = [
  '',
  'localhost',
  '0x7f.1',
  '2130706433',
  '127.1',
  '0177.0.0.1x',
  '1.2.3.4.5',
  '256.0.0.1',
  '1.2.3',
  ':::',
  '1::2::3',
  '12345::',
  '::1.2.3',
  '::0x11.2.3.4',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7::8',
  '[::1]',
  '1.2.3.4::',
  '127.0.0.1 ',
];

describe('where outbound requests may go', () => {
  for (const [name, addresses, permitted] of [
    ['public addresses are always allowed', PUBLIC, ['', 'loopback', 'private']],
    ['loopback is allowed where the host says so, in whatever form', LOOPBACK, ['loopback']],
    ['private ranges are allowed where the host says so, in whatever form', PRIVATE, ['private']],
    ['link-local addresses and metadata services are never allowed, in whatever form', NEVER, []],
    ['what is no address is never allowed', NONE, []],
  ] as const) {
    test(name, () => {
      for (const allowed of ['', 'loopback', 'private'] as const) {
        const permits = addressRule(allowed ? [allowed] : []);
        for (const address of addresses)
          assert.equal(
            permits(address),
            permitted.some((each) => each === allowed),
            `${address} with [${allowed}]`,
          );
      }
      const everything = addressRule(['loopback', 'private', '0.0.0.0/0', '::/0']);
      for (const address of [...NEVER, ...NONE]) assert.equal(everything(address), false, address);
    });
  }

  test('a range allows what it holds, and nothing beside it', () => {
    const permits = addressRule(['10.1.0.0/16', '10.9.9.8/31', 'fd12:3400::/22', '127.0.0.1/32']);
    for (const address of ['10.1.0.0', '10.1.255.255', '10.9.9.9', 'fd12:37ff::1', '127.0.0.1', '::ffff:10.1.2.3'])
      assert.ok(permits(address), address);
    for (const address of ['10.0.255.255', '10.2.0.0', '10.9.9.10', 'fd12:3800::1', '127.0.0.2']) assert.ok(!permits(address), address);
  });

  test('a range holds the same addresses as in a list of the runtime', () => {
    const bytes24 = fc.nat(0xff_ff_ff);
    const v4 = (n: number) => `10.${n >> 16}.${(n >> 8) & 0xff}.${n & 0xff}`;
    const v6 = (n: number) => `fd00:${(n >> 8).toString(16)}:${((n & 0xff) << 8).toString(16)}::1`;
    fc.assert(
      // The two differ in low bits more often than in high ones, so that either answer is common.
      fc.property(bytes24, bytes24, fc.nat(24), fc.nat(24), (start, difference, shift, bits) => {
        const address = start ^ (difference >> shift);
        for (const [write, family, before] of [
          [v4, 'ipv4', 8],
          [v6, 'ipv6', 16],
        ] as const) {
          const list = new BlockList();
          list.addSubnet(write(start), bits + before, family);
          const permits = addressRule([`${write(start)}/${bits + before}`]);
          assert.equal(
            permits(write(address)),
            list.check(write(address), family),
            `${write(address)} in ${write(start)}/${bits + before}`,
          );
        }
      }),
    );
  });

  test('a text is an address where the runtime says so', () => {
    const part = fc.constantFrom(
      '0',
      '1',
      '00',
      '01',
      '0x1',
      '255',
      '256',
      'ffff',
      '10000',
      '00001',
      'g',
      '',
      ' ',
      ':',
      '::',
      '.',
      '1.2.3.4',
      '%eth0',
      '%',
    );
    const dotted = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));
    const grouped = fc.array(fc.oneof(part, dotted), { minLength: 1, maxLength: 9 }).map((parts) => parts.join(':'));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.ipV4(),
          fc.ipV6(),
          dotted,
          grouped,
          fc.array(part).map((parts) => parts.join('')),
        ),
        (text) => {
          const [address = ''] = text.split('%', 1);
          assert.equal(canonicalAddress(text) !== undefined, isIP(address) !== 0, text);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('an entry that is neither a word nor a range is refused by name', () => {
    for (const entry of [
      '',
      'public',
      '10.0.0.0',
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0.0/-1',
      '10.0.0.0/8/8',
      'fd00::/129',
      'fe80::%eth0/64',
      'example.com',
    ])
      assert.throws(() => addressRule([entry]), {
        name: 'TypeError',
        message: `'${entry}' is not a range of addresses such as 10.0.0.0/8 or fd00::/8`,
      });
  });

  test('the address in a URL is known in whatever form it is written, and so are the names of loopback', () => {
    const forms: Readonly<Record<string, string | undefined>> = {
      'http://127.0.0.1/': '127.0.0.1',
      'http://0x7f.1/': '127.0.0.1',
      'http://2130706433/': '127.0.0.1',
      'http://017700000001/': '127.0.0.1',
      'http://127.1/': '127.0.0.1',
      'http://１２７.0.0.1/': '127.0.0.1',
      'http://[::1]:8080/': '::1',
      'http://[::ffff:127.0.0.1]/': '::ffff:7f00:1',
      'http://[::ffff:169.254.169.254]/': '::ffff:a9fe:a9fe',
      'http://localhost/': '127.0.0.1',
      'http://LOCALHOST./': '127.0.0.1',
      'http://any.localhost/': '127.0.0.1',
      'https://keys.example/': undefined,
      'https://mylocalhost/': undefined,
    };
    for (const [url, address] of Object.entries(forms)) assert.equal(literalAddress(new URL(url)), address, url);
  });
});
