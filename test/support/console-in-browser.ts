import type { APIRequestContext, Locator, Page } from 'playwright-core';
import { type Handling, serve } from '../../adapters/http/node.ts';
import { sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { type ConsoleOptions, consoleHandler } from '../../console/index.ts';
import { type ControllerOptions, ManagementController, newSecretKey } from '../../src/index.ts';
import { selfSigned } from '../adapters/http/certificates.ts';
import { freePort } from '../examples/child.ts';
import { launchBrowser } from './launched-browser.ts';

export { inBrowser } from './launched-browser.ts';

export const PASSWORD = 'a-good-password';

/** A page of a new person, and what the browser complains of: errors, violations of the policy, and requests to anywhere else. */
export interface Opened {
  readonly page: Page;
  readonly complaints: readonly string[];
}

/** A console that people use in a browser. */
export interface ConsoleInBrowser {
  readonly controller: ManagementController;
  /** Over https: devices of the network need it to enroll. */
  readonly address: string;
  /** Calls without a page, which trust the certificate of the address. */
  readonly request: APIRequestContext;
  /** @param locale the language of the browser, default `en-US` */
  open(locale?: string): Promise<Opened>;
  fillLogin(page: Page, username?: string): Promise<void>;
  logIn(page: Page, username?: string): Promise<void>;
  /** @param route such as `#/entities/services` */
  goTo(page: Page, route: string): Promise<void>;
  /** For tests that open pages of their own: while a page is open, it reads the state of the network regularly. */
  closePages(): Promise<void>;
  close(): Promise<void>;
}

/** Adds entries to a field that shows them as chips. */
export const addEntries = async (page: Page, label: string, ...entries: readonly string[]): Promise<void> => {
  const field = page.getByRole('combobox', { name: label });
  for (const entry of entries) {
    await field.fill(entry);
    await field.press('Enter');
    await chipsOf(page, label).filter({ hasText: entry }).waitFor();
  }
};

/** The chips of a field. */
export const chipsOf = (page: Page, label: string): Locator => page.getByRole('list', { name: label, exact: true }).getByRole('listitem');

interface Opening {
  readonly options?: ConsoleOptions;
  /** Further options of the controller. */
  readonly network?: Partial<Pick<ControllerOptions, 'pki' | 'serverCertificate' | 'platform' | 'settings'>>;
  readonly oidc?: Exclude<ControllerOptions['oidc'], boolean>;
  /** What is between the browser and the console, such as a gateway. */
  readonly gateway?: (handling: Handling) => Handling;
  /** Opens another controller than an empty one. */
  readonly controllerAt?: (address: string) => Promise<ManagementController>;
  /** Arguments of the browser that are left out. */
  readonly without?: string[];
}

/** Maximum time until a page is as a test expects, on a machine that runs many browsers. ms */
const PATIENCE = 120_000;

/** Opens a network, its console and a browser. */
export const openConsole = async ({
  options = {},
  network = {},
  oidc = {},
  gateway = (handling) => handling,
  without = [],
  controllerAt = (address) =>
    ManagementController.open({
      ...network,
      storage: sqliteStorage({ file: ':memory:' }),
      secretKey: newSecretKey(),
      administrator: { password: PASSWORD },
      settings: { requestTimeoutMs: PATIENCE / 2, ...network.settings, address },
      oidc: { ...oidc, consolePath: '/console/' },
    }),
}: Opening = {}): Promise<ConsoleInBrowser> => {
  const port = await freePort();
  const address = `https://127.0.0.1:${port}`;
  const controller = await controllerAt(address);
  const serving = await serve({
    controller: gateway(consoleHandler(controller, { name: 'Example Ltd.', ...options })),
    port,
    tls: selfSigned('console'),
  });
  const browser = await launchBrowser({ without });
  const newContext = async (locale = 'en-US') => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, locale });
    context.setDefaultTimeout(PATIENCE);
    return context;
  };
  const callContext = await newContext();
  const fillLogin = async (page: Page, username = 'admin') => {
    // In whatever language the page is.
    await page.locator('input[name=username]').fill(username);
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
  };
  return {
    controller,
    address,
    request: callContext.request,
    open: async (locale) => {
      const page = await (await newContext(locale)).newPage();
      const complaints: string[] = [];
      page.on('pageerror', ({ message }) => complaints.push(message));
      page.on('console', (message) =>
        message.type() === 'error' && !/status of 4\d\d/.test(message.text()) ? complaints.push(message.text()) : 0,
      );
      page.on('request', (request) =>
        request.url().startsWith(address) || request.url().startsWith('data:') ? 0 : complaints.push(request.url()),
      );
      return { page, complaints };
    },
    fillLogin,
    logIn: async (page, username) => {
      await page.goto(`${address}/console/`);
      await fillLogin(page, username);
      const overview = page.getByRole('heading', { name: 'Overview' });
      await overview.waitFor().catch(async (cause: unknown) => {
        throw new Error(`instead of the overview, there is: ${await page.locator('body').textContent()}`, { cause });
      });
    },
    goTo: async (page, route) => {
      await page.goto(`${address}/console/${route}`);
      // The page follows its address, and its width, before the second frame.
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Loading').first().waitFor({ state: 'detached' });
    },
    closePages: async () => {
      for (const context of browser.contexts()) if (context !== callContext) await context.close();
    },
    close: async () => {
      await browser.close();
      await serving.close();
      await controller.close();
    },
  };
};
