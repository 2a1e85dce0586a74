import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { Chromium } from './chromium.ts';

/** The size of a screen, in CSS pixels. */
export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly isPhone: boolean;
}

/** A page as a person uses it who has a keyboard, and no JavaScript. */
export interface Page {
  readonly goTo: (address: string) => Promise<void>;
  /** Writes into the field that has the focus. */
  readonly write: (text: string) => Promise<void>;
  readonly tab: () => Promise<void>;
  /** Presses Enter, and waits for the page that this leads to. */
  readonly enter: () => Promise<void>;
  readonly address: () => Promise<string>;
  /** The source of the page, as the browser has it. */
  readonly source: () => Promise<string>;
  /** The accessible name of each control, in order, as a screen reader reads it: `textbox Username`. */
  readonly controls: () => Promise<readonly string[]>;
  /** @returns bytes of the picture */
  readonly picture: (file: string) => Promise<number>;
  /** Errors that the browser reported, such as violations of a content policy, without the status of answers. */
  readonly complaints: readonly string[];
}

/** CSS pixels. */
const LONG = 900;

export const openPage = async (browser: Chromium, { width, height, isPhone }: Screen): Promise<Page> => {
  const { send, on } = await browser.newTarget();
  for (const domain of ['Page', 'DOM', 'Log', 'Accessibility']) await send(`${domain}.enable`);
  await send('Emulation.setScriptExecutionDisabled', { value: true });
  await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: isPhone });
  const complaints: string[] = [];
  on('Log.entryAdded', ({ entry: { source, text } }) => (source === 'network' ? 0 : complaints.push(`${source}: ${text}`)));

  const leading = async (act: () => Promise<unknown>): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    on('Page.loadEventFired', () => resolve());
    await act();
    await Promise.race([promise, setTimeout(30_000, undefined, { ref: false }).then(() => assert.fail('no page came'))]);
    const { cssContentSize } = await send('Page.getLayoutMetrics');
    assert.ok(cssContentSize.width <= width, `the page is ${cssContentSize.width} wide, the screen ${width}`);
  };
  /** Browsers set the focus of a page when they first draw it, which may be after it has loaded. */
  const focused = async (tries = 300): Promise<void> => {
    const { root } = await send('DOM.getDocument');
    if ((await send('DOM.querySelector', { nodeId: root.nodeId, selector: ':focus' })).nodeId !== 0) return;
    assert.ok(tries > 0, 'nothing has the focus');
    await setTimeout(50);
    return focused(tries - 1);
  };
  const press = async (key: 'Tab' | 'Enter') => {
    const known = key === 'Tab' ? { key, code: key, windowsVirtualKeyCode: 9 } : { key, code: key, windowsVirtualKeyCode: 13, text: '\r' };
    await send('Input.dispatchKeyEvent', { type: 'keyDown', ...known });
    await send('Input.dispatchKeyEvent', { type: 'keyUp', ...known });
  };
  return {
    goTo: (url) => leading(() => send('Page.navigate', { url })),
    write: async (text) => {
      await focused();
      await send('Input.insertText', { text });
    },
    tab: () => press('Tab'),
    enter: async () => {
      await focused();
      await leading(() => press('Enter'));
    },
    address: async () => {
      const { currentIndex, entries } = await send('Page.getNavigationHistory');
      return entries[currentIndex].url;
    },
    source: async () => {
      const { root } = await send('DOM.getDocument');
      return (await send('DOM.getOuterHTML', { nodeId: root.nodeId })).outerHTML;
    },
    controls: async () => {
      const { nodes } = await send('Accessibility.getFullAXTree');
      const roles = ['textbox', 'button', 'link', 'heading', 'alert', 'image'];
      return nodes.flatMap(({ role, name }: { role?: { value: string }; name?: { value: string } }) =>
        role && roles.includes(role.value) ? [`${role.value} ${name?.value ?? ''}`] : [],
      );
    },
    picture: async (file) => {
      const { cssContentSize } = await send('Page.getLayoutMetrics');
      const whole = Math.max(height, Math.ceil(cssContentSize.height));
      // Long pages become smaller pictures.
      const clip = { x: 0, y: 0, width, height: whole, scale: whole > LONG ? 0.75 : 1 };
      const { data } = await send('Page.captureScreenshot', { format: 'png', clip, captureBeyondViewport: true });
      const bytes = Buffer.from(data, 'base64');
      await writeFile(file, bytes);
      return bytes.length;
    },
    complaints,
  };
};
