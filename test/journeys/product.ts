import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import type { z } from 'zod';
import type { addedMemberSchema } from '../../domain/identity.ts';
import { type Supervised, startSupervised } from '../supervised-system.ts';

const QUIET = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
/** Under load a page may take its time; nothing here waits for it longer than this. */
const PATIENCE_MS = 60_000;
export const WIDE = { width: 1360, height: 860 };
export const PHONE = { width: 390, height: 844 };

/** The browser's own words about a server that is away or refuses. What the page makes of it is looked at instead. */
const NETWORK_WORDS =
  /^(Failed to load resource|WebSocket connection to|TypeError: Failed to fetch dynamically imported module)/;

/** One browser of one person, watched for what must never happen: an uncaught error, a request to anybody else. */
export class Visitor {
  readonly #problems: string[] = [];

  private constructor(
    private readonly context: BrowserContext,
    /** The tab that was opened first. */
    readonly page: Page,
    origin: string,
  ) {
    context.on('weberror', (failure) => this.#problems.push(`uncaught: ${failure.error().message}`));
    context.on('console', (message) => {
      if (message.type() !== 'error' || NETWORK_WORDS.test(message.text())) return;
      this.#problems.push(`console: ${message.text()}`);
    });
    context.on('request', (request) => {
      if (!request.url().startsWith(origin)) this.#problems.push(`asked elsewhere: ${request.url()}`);
    });
  }

  static async enter(browser: Browser, origin: string, path: string): Promise<Visitor> {
    const context = await browser.newContext({ baseURL: origin, viewport: WIDE, reducedMotion: 'reduce' });
    context.setDefaultTimeout(PATIENCE_MS);
    const visitor = new Visitor(context, await context.newPage(), origin);
    await visitor.page.goto(path);
    return visitor;
  }

  /** Another tab. */
  async open(path: string): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(path);
    return page;
  }

  async leave(): Promise<void> {
    await this.context.close();
    expect(this.#problems).toEqual([]);
  }
}

export type Workplace = Awaited<ReturnType<Supervised['workspace']>> & { member: string; link: string };

/** Everything as people have it: the supervised product, and a browser to look at it with. */
export class Product {
  #places = 0;

  private constructor(
    readonly system: Supervised,
    private readonly browser: Browser,
  ) {}

  static async start(): Promise<Product> {
    const executablePath = inject('CHROMIUM');
    if (executablePath === '') throw new Error('There is no Chromium. Install it, or set CHROMIUM to its path.');
    const launched = { executablePath, chromiumSandbox: process.getuid?.() !== 0, args: QUIET };
    const [system, browser] = await Promise.all([startSupervised({ demo: true }), chromium.launch(launched)]);
    return new Product(system, browser);
  }

  /** Somebody who comes with nothing but an address. */
  visitor(path: string): Promise<Visitor> {
    return Visitor.enter(this.browser, this.system.url(), path);
  }

  /** A workspace with somebody in it who sees nothing else, so that no journey meets what another one left behind. */
  async workplace(name: string): Promise<Workplace> {
    this.#places += 1;
    const workspace = await this.system.workspace(`${name} ${this.#places}`);
    const member = `${name.toLowerCase()}${this.#places}@longhaul.test`;
    const added = await this.system.call<z.infer<typeof addedMemberSchema>>(
      'POST',
      `/workspaces/${workspace.id}/members`,
      { email: member, name: 'Robin', role: 'admin' },
    );
    return { ...workspace, member, link: added.sign_in_link ?? '' };
  }

  /** Signs that person in. */
  async at(place: Workplace): Promise<Visitor> {
    const visitor = await this.visitor(place.link);
    await visitor.page.getByRole('heading', { level: 1, name: /Home|Welcome/ }).waitFor();
    return visitor;
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.system.stop();
  }
}
