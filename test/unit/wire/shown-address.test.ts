import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownAddress } from '../../../src/contract/wire/shown-address.ts';

test('an address is shown without a name and a password, however it is mistyped, and without a query', () => {
  const shown = {
    'https://controller.example:1280/mount': 'https://controller.example:1280/mount',
    'https://ann:secret@controller.example': 'https://***@controller.example',
    'http://ann:sec/ret@controller.example': 'http://***@controller.example',
    'https://ann:sec@ret@controller.example': 'https://***@controller.example',
    'https:ann:secret@controller.example': '***@controller.example',
    'ann:secret@controller.example': '***@controller.example',
    'https://ann:sec\nret@controller.example': 'https://***@controller.example',
    'https://controller.example/?token=secret': 'https://controller.example/?***',
    'https://controller.example/#secret': 'https://controller.example/#***',
    'mysql://ann:secret@host/db': 'mysql://***@host/db',
    'not an address': 'not an address',
  };
  for (const [address, text] of Object.entries(shown)) assert.equal(shownAddress(address), text);
});
