/** Data of configs by the schema of their type, and fields for tags, dates and certificates. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';

describe('data in forms of the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  before(async () => {
    network = await openConsole();
  });
  after(() => network?.close());

  const openForm = async (route: string) => {
    const opened = await network.open();
    await network.logIn(opened.page);
    await network.goTo(opened.page, route);
    return opened;
  };
  const group = (page: Page, name: string | RegExp) => page.getByRole('group', { name, exact: true });
  const newConfig = async (name: string, type: string) => {
    const opened = await openForm('#/entities/configs/new');
    const { page } = opened;
    await page.getByLabel('Name (required)').fill(name);
    await page.getByLabel('Config type (required)').fill(type);
    await page.getByRole('option', { name: type, exact: true }).click();
    await group(page, 'View').waitFor();
    return opened;
  };
  const savedData = async (name: string) => (await network.controller.api.configs.list({ filter: `name = "${name}"` })).data[0];
  const json = (page: Page) => page.locator('textarea#field-data');

  test('what is intercepted is entered by fields with the words of the schema; the JSON beside them is in step both ways', async () => {
    const { page, complaints } = await newConfig('wiki', 'intercept.v1');
    await group(page, /^Protocols/)
      .getByLabel('tcp')
      .check();
    await page.getByLabel('Addresses (required)').fill('wiki.example\n*.lab.example');
    const ports = group(page, /^Port ranges/);
    await ports.getByRole('button', { name: 'Add: Port ranges' }).click();
    await ports.getByLabel('Low (required)').fill('80');
    await ports.getByLabel('High (required)').fill('70000');
    await page.getByRole('button', { name: 'Save' }).click();
    assert.match(
      await ports.getByLabel('High (required)').evaluate((input: { validationMessage?: string }) => input.validationMessage ?? ''),
      /65535/,
    );
    await ports.getByLabel('High (required)').fill('443');
    await page.getByText('More fields').first().click();
    await page.getByText('Addresses and CIDRs whose connections are intercepted').waitFor();
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const expected = { protocols: ['tcp'], addresses: ['wiki.example', '*.lab.example'], portRanges: [{ low: 80, high: 443 }] };
    assert.deepEqual(JSON.parse(await json(page).inputValue()), expected);
    await json(page).fill(JSON.stringify({ ...expected, protocols: ['udp'] }));
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    assert.ok(
      await group(page, /^Protocols/)
        .getByLabel('udp')
        .isChecked(),
    );
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The config was created.').waitFor();
    assert.deepEqual((await savedData('wiki'))?.data, { ...expected, protocols: ['udp'] });
    assert.deepEqual(complaints, []);
  });

  test('conditions of host.v1 decide what is required, and alternatives are chosen', async () => {
    const { page, complaints } = await newConfig('host', 'host.v1');
    await page.getByLabel('Protocol (required)').selectOption('tcp');
    await page.getByLabel('Address (required)').fill('10.0.0.1');
    await page.getByLabel('Port (required)').fill('22');
    const more = page.locator('#field-data details').first();
    await more.locator('summary').click();
    await more.getByLabel('Forward port').check();
    await page.getByLabel('Port (required)').waitFor({ state: 'detached' });
    const ranges = group(page, /^Allowed port ranges/);
    await ranges.getByRole('button', { name: 'Add: Allowed port ranges' }).click();
    await ranges.getByLabel('Low (required)').fill('1');
    await ranges.getByLabel('High (required)').fill('9');
    await page.getByLabel('Port', { exact: true }).fill('');
    const translations = group(page, 'Forward address translations');
    await translations.getByRole('button', { name: 'Add: Forward address translations' }).click();
    await translations.getByLabel('Form of the value').selectOption('Ipv6 address translation');
    await translations.getByLabel('Prefix length').fill('64');
    const options = group(page, 'Listen options');
    await options.getByRole('button', { name: 'Add: Listen options' }).click();
    await options.getByLabel('Precedence').selectOption('failed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The config was created.').waitFor();
    assert.deepEqual((await savedData('host'))?.data, {
      protocol: 'tcp',
      address: '10.0.0.1',
      forwardPort: true,
      allowedPortRanges: [{ low: 1, high: 9 }],
      forwardAddressTranslations: [{ prefixLength: 64 }],
      listenOptions: { precedence: 'failed' },
    });
    assert.deepEqual(complaints, []);
  });

  test('what a schema does not describe is kept, and hostile schemas neither hang the page nor change it', async () => {
    const { api } = network.controller;
    const schema = {
      type: 'object',
      definitions: {
        node: { type: 'object', properties: { next: { $ref: '#/definitions/node' }, note: { type: 'string' } } },
        endless: { type: 'object', required: ['endless'], properties: { endless: { $ref: '#/definitions/endless' } } },
      },
      properties: {
        node: { $ref: '#/definitions/node' },
        constructor: { type: 'string', title: '<img src=x onerror=alert(1)>', description: '</script><b>bold</b>' },
        'with space': { type: 'string', pattern: '^(a+)+$' },
        tree: { $ref: '#' },
        free: {},
        endless: { $ref: '#/definitions/endless' },
        ...Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`p${at}`, { type: 'integer' }])),
      },
    };
    const { id: configTypeId } = await api.configTypes.create({ body: { name: 'odd', schema } });
    const data = { node: { note: 'first', unknown: [1, { two: 2 }] }, other: { deep: [null] }, free: { any: 1 }, constructor: 'x' };
    const { id } = await api.configs.create({ body: { name: 'odd', configTypeId, data } });
    const { page, complaints } = await openForm(`#/entities/configs/${id}/edit`);
    await page.getByText('Kept as they are, since the schema does not describe them: other.').waitFor();
    await page.getByText('Kept as they are, since the schema does not describe them: unknown.').waitFor();
    await page.getByLabel('<img src=x onerror=alert(1)>').fill('y'.repeat(20));
    const free = page.getByLabel('Free', { exact: true });
    await free.fill('{');
    await page.getByRole('button', { name: 'Save' }).click();
    assert.equal(await free.evaluate((input: { validationMessage?: string }) => input.validationMessage), 'Free is not valid JSON');
    await free.fill('{"any":2}');
    await page.locator('#field-data > details > summary').click();
    await page.getByLabel('P499').fill('7');
    await page.getByLabel('With space').fill('a');
    const tree = group(page, 'Tree').first();
    await tree.getByRole('button', { name: 'Add: Tree' }).click();
    const endless = group(page, 'Endless').first();
    await endless.getByRole('button', { name: 'Add: Endless' }).click();
    await endless.getByRole('button', { name: 'Remove: Endless' }).first().click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    assert.deepEqual((await savedData('odd'))?.data, {
      ...data,
      constructor: 'y'.repeat(20),
      free: { any: 2 },
      p499: 7,
      'with space': 'a',
      tree: {},
    });
    assert.deepEqual(complaints, []);
  });

  test('what the controller refuses in the data is said beside the member, which has the focus', async () => {
    const { api } = network.controller;
    const host = { type: 'object', required: ['name'], properties: { name: { type: 'string', pattern: '^[a-z]+$' } } };
    const schema = { type: 'object', properties: { hosts: { type: 'array', items: host } } };
    const { id: configTypeId } = await api.configTypes.create({ body: { name: 'named hosts', schema } });
    const { id } = await api.configs.create({
      body: { name: 'two hosts', configTypeId, data: { hosts: [{ name: 'one' }, { name: 'two' }] } },
    });
    const { page, complaints } = await openForm(`#/entities/configs/${id}/edit`);
    const second = page.getByRole('group', { name: 'Entry 2' }).getByLabel('Name (required)').first();
    await second.fill('NOT THIS');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('#field-data [aria-invalid]').waitFor();
    const said = "document.getElementById(document.activeElement.getAttribute('aria-describedby').split(' ')[0]).textContent";
    assert.match(await page.evaluate(said), /pattern/);
    assert.equal(await page.locator('#field-data [aria-invalid]').count(), 1);
    assert.equal(await page.evaluate('document.activeElement.value'), 'NOT THIS');
    await second.fill('other');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    assert.deepEqual((await savedData('two hosts'))?.data, { hosts: [{ name: 'one' }, { name: 'other' }] });
    assert.deepEqual(complaints, []);
  });

  test('tags are rows of name, type and value; a date is local and sent in UTC', async () => {
    const opened = await network.open();
    const { page, complaints } = opened;
    await network.logIn(page);
    await network.goTo(page, '#/entities/servicePolicies/new');
    await page.getByLabel('Name (required)').fill('until spring');
    await page.getByLabel('Type (required)').selectOption('Dial');
    await page.getByLabel('Semantic (required)').selectOption('AnyOf');
    await page.getByText('More fields').click();
    const local = '2090-03-20T12:00';
    await page.getByLabel('Valid until').fill(local);
    const utc: string = await page.evaluate(`new Date('${local}').toISOString()`);
    await page.getByText(`${utc.slice(0, 19).replace('T', ' ')} UTC, in`).waitFor();
    const rows: readonly (readonly [name: string, type: string, value: string])[] = [
      ['floor', 'Text', '7'],
      ['shared', 'Yes or no', 'true'],
      ['left', 'Empty', ''],
      ['__proto__x', 'Text', '<b>'],
    ];
    for (const [at, [name, type, value]] of rows.entries()) {
      await page.getByRole('button', { name: 'Add: Tags' }).click();
      const row = group(page, 'Tags').getByRole('group', { name: `Entry ${at + 1}`, exact: true });
      await row.getByLabel('Name').fill(name);
      await row.getByLabel('Type').selectOption(type);
      if (type === 'Text') await row.getByLabel('Value').fill(value);
      if (type === 'Yes or no') await row.getByLabel('Value').selectOption(value);
    }
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByText('Nobody gains or loses access').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('The service policy was created.').waitFor();
    const { data } = await network.controller.api.servicePolicies.list({ filter: 'name = "until spring"' });
    assert.deepEqual(data[0]?.tags, { floor: '7', shared: true, left: null, ['__proto__x']: '<b>' });
    assert.equal(data[0]?.validUntil, utc);
    assert.deepEqual(complaints, []);
  });

  test('a certificate is read from a file that is chosen or dropped, in PEM or DER, and one that is too large is refused', async () => {
    const { page, complaints } = await openForm('#/entities/cas/new');
    const field = page.getByLabel('Cert PEM (required)');
    const file = page.getByLabel('Choose a file');
    await file.setInputFiles({ name: 'ca.pem', mimeType: 'text/plain', buffer: Buffer.from('-----BEGIN CERTIFICATE-----\nAA==\n') });
    await page.getByText('ca.pem was read.').waitFor();
    assert.equal(await field.inputValue(), '-----BEGIN CERTIFICATE-----\nAA==\n');
    await file.setInputFiles({ name: 'ca.der', mimeType: 'text/plain', buffer: Buffer.from([0x30, 0x03, 0x02, 0x01, 0x05]) });
    await page.getByText('ca.der was read.').waitFor();
    assert.equal(await field.inputValue(), '-----BEGIN CERTIFICATE-----\nMAMCAQU=\n-----END CERTIFICATE-----\n');
    await file.setInputFiles({ name: 'huge.pem', mimeType: 'text/plain', buffer: Buffer.alloc(600_000, 65) });
    await page.getByText('huge.pem is too large for this field.').waitFor();
    const dropped = await page.evaluateHandle(
      "(() => { const data = new DataTransfer(); data.items.add(new File(['dropped'], 'drop.pem')); return data; })()",
    );
    await field.dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByText('drop.pem was read.').waitFor();
    assert.equal(await field.inputValue(), 'dropped');
    assert.deepEqual(complaints, []);
  });
});
