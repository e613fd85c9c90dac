import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { WAIT_MS } from '../waiting.ts';

/** A Chromium of this machine; undefined: there is none. */
export const CHROMIUM = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((path) => path !== undefined && existsSync(path));

/** Where screenshots are kept. */
const ARTEFACTS = process.env.TEST_ARTEFACTS ?? '.data/artefacts';

/** Starts it with WebGL, which SwiftShader draws where there is no graphics card. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM!,
    timeout: WAIT_MS,
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });

/** In which every page is looked at: both widths and both schemes, without each width in each scheme. */
export const WINDOWS = [
  [1280, 'light'],
  [390, 'dark'],
] as const;

export interface Window {
  page: Page;
  /** Errors, warnings of the policy and requests to elsewhere, as they come. */
  problems: string[];
}

/** A window of a browser that hears of everything that goes wrong in it. */
export async function openWindow(
  browser: Browser,
  base: string,
  width: number,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<Window> {
  const page = await browser.newPage({ viewport: { width, height: width < 500 ? 844 : 800 }, colorScheme });
  page.setDefaultTimeout(WAIT_MS);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  page.on('request', (asked) => {
    const url = asked.url();
    if (!url.startsWith(base) && !/^(data|blob):/.test(url)) problems.push(`elsewhere: ${url}`);
  });
  page.on('response', (answer) => {
    if (answer.status() >= 400) problems.push(`${answer.status()}: ${answer.url()}`);
  });
  return { page, problems };
}

/** Until nothing of the map is left to fetch or draw. */
export const mapIsDrawn = (page: Page): Promise<unknown> => page.waitForSelector('#map[data-idle=yes]');

/** How many pixels of each colour (`#rrggbb`) a part of the page shows, most first. */
export async function coloursOf(page: Page, selector: string): Promise<Map<string, number>> {
  const png = (await page.locator(selector).screenshot()).toString('base64');
  const blank = await page.context().browser()!.newPage();
  const counts = (await blank.evaluate(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png}';
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const counts = {};
    for (let i = 0; i < data.length; i += 4) {
      const key = '#' + [data[i], data[i + 1], data[i + 2]].map((byte) => byte.toString(16).padStart(2, '0')).join('');
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return counts;
  })()`)) as Record<string, number>;
  await blank.close();
  return new Map(Object.entries(counts).sort(([, a], [, b]) => b - a));
}

/** Keeps a picture of the whole page. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  await mkdir(ARTEFACTS, { recursive: true });
  await page.screenshot({ path: join(ARTEFACTS, `${name}.png`), fullPage: true });
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe-core finds that is serious or critical, with where. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(AXE, 'utf8'));
  return (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
      .flatMap(({ id, nodes }) => nodes.slice(0, 3).map((node) => id + ' ' + node.target.join(' ') + ' ' + (node.any[0]?.message ?? ''))))`)) as string[];
}

/** What is wider than the window and does not scroll by itself; the widest last. */
export const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate(`document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')]
    .filter((each) => each.getBoundingClientRect().right > innerWidth && !each.closest('.wide, .map'))
    .map((each) => each.tagName + ' ' + Math.round(each.getBoundingClientRect().right) + ' ' + each.textContent.slice(0, 60))`) as Promise<
    string[]
  >;

/** Parts that a reader must scroll sideways to see the whole of: tables and plots. */
export const sideways = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.rows, .plot')].filter((each) => each.scrollWidth > each.clientWidth + 1)
    .map((each) => each.scrollWidth + ' ' + each.textContent.slice(0, 60))`) as Promise<string[]>;

/** Texts of charts that reach beyond their drawing, and are cut there. */
export const cutTexts = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.plot svg')].flatMap((chart) => [...chart.querySelectorAll('text')]
    .filter((text) => text.getBoundingClientRect().right > chart.getBoundingClientRect().right + 1)
    .map(({ textContent }) => textContent))`) as Promise<string[]>;
