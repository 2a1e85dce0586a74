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

/** A page, used with the keyboard alone and without JavaScript. */
export interface Page {
  readonly goTo: (address: string) => Promise<void>;
  /** Types into the focused field. */
  readonly write: (text: string) => Promise<void>;
  readonly tab: () => Promise<void>;
  /** Presses Enter, and waits for the next page. */
  readonly enter: () => Promise<void>;
  readonly address: () => Promise<string>;
  /** The current HTML of the page. */
  readonly source: () => Promise<string>;
  /** The accessible name of each control, in order, as a screen reader reads it: `textbox Username`. */
  readonly controls: () => Promise<readonly string[]>;
  /** Takes a screenshot. @returns the size of the file in bytes */
  readonly picture: (file: string) => Promise<number>;
  /** Errors that the browser reported, such as violations of the content security policy, except error statuses of responses. */
  readonly complaints: readonly string[];
}

/** Screenshots of pages longer than this are scaled down. CSS pixels */
const MAX_FULL_SIZE_HEIGHT = 900;

export const openPage = async (browser: Chromium, { width, height, isPhone }: Screen): Promise<Page> => {
  const { send, on } = await browser.newTarget();
  for (const domain of ['Page', 'DOM', 'Log', 'Accessibility']) await send(`${domain}.enable`);
  await send('Emulation.setScriptExecutionDisabled', { value: true });
  await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: isPhone });
  const complaints: string[] = [];
  on('Log.entryAdded', ({ entry: { source, text } }) => (source === 'network' ? 0 : complaints.push(`${source}: ${text}`)));

  const waitForLoad = async (act: () => Promise<unknown>): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    on('Page.loadEventFired', () => resolve());
    await act();
    await Promise.race([promise, setTimeout(30_000, undefined, { ref: false }).then(() => assert.fail('no page came'))]);
    const { cssContentSize } = await send('Page.getLayoutMetrics');
    assert.ok(cssContentSize.width <= width, `the page is ${cssContentSize.width} wide, the screen ${width}`);
  };
  /** Waits for a focused element: browsers set the focus when they first draw a page, which may be after it has loaded. */
  const waitForFocus = async (tries = 300): Promise<void> => {
    const { root } = await send('DOM.getDocument');
    if ((await send('DOM.querySelector', { nodeId: root.nodeId, selector: ':focus' })).nodeId !== 0) return;
    assert.ok(tries > 0, 'nothing has the focus');
    await setTimeout(50);
    return waitForFocus(tries - 1);
  };
  const press = async (key: 'Tab' | 'Enter') => {
    const known = key === 'Tab' ? { key, code: key, windowsVirtualKeyCode: 9 } : { key, code: key, windowsVirtualKeyCode: 13, text: '\r' };
    await send('Input.dispatchKeyEvent', { type: 'keyDown', ...known });
    await send('Input.dispatchKeyEvent', { type: 'keyUp', ...known });
  };
  return {
    goTo: (url) => waitForLoad(() => send('Page.navigate', { url })),
    write: async (text) => {
      await waitForFocus();
      await send('Input.insertText', { text });
    },
    tab: () => press('Tab'),
    enter: async () => {
      await waitForFocus();
      await waitForLoad(() => press('Enter'));
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
      const clip = { x: 0, y: 0, width, height: whole, scale: whole > MAX_FULL_SIZE_HEIGHT ? 0.75 : 1 };
      const { data } = await send('Page.captureScreenshot', { format: 'png', clip, captureBeyondViewport: true });
      const bytes = Buffer.from(data, 'base64');
      await writeFile(file, bytes);
      return bytes.length;
    },
    complaints,
  };
};
