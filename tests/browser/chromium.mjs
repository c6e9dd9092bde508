// Headless Chromium, driven over its DevTools pipe: JSON messages that end with a zero byte, to the
// browser on file descriptor 3 and from it on 4. No package is needed for that.
// Protocol: https://chromedevtools.github.io/devtools-protocol/

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const flags = [
  '--headless=new', '--remote-debugging-pipe', '--no-sandbox', '--disable-gpu',
  '--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update',
  '--disable-extensions', '--no-first-run', '--no-default-browser-check',
  '--host-resolver-rules=MAP * ~NOTFOUND', '--window-size=1280,1600', 'about:blank',
];

export class Browser {
  #calls = new Map();
  #listeners = [];
  #next = 1;
  #unread = '';

  constructor(executable) {
    this.profile = mkdtempSync(join(tmpdir(), 'rooflab-browser-'));
    this.process = spawn(executable, [`--user-data-dir=${this.profile}`, ...flags], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      env: { ...process.env, HOME: this.profile },
    });
    this.process.on('exit', (code) => {
      for (const { reject } of this.#calls.values()) {
        reject(new Error(`Chromium went away (exit ${code})`));
      }
    });
    this.process.stdio[3].on('error', () => {});
    this.process.stdio[4].setEncoding('utf8');
    this.process.stdio[4].on('data', (text) => this.#read(text));
  }

  #read(text) {
    const messages = (this.#unread + text).split('\0');
    this.#unread = messages.pop();
    for (const message of messages.map((each) => JSON.parse(each))) {
      const call = this.#calls.get(message.id);
      this.#calls.delete(message.id);
      if (!call) this.#listeners.forEach((listener) => listener(message.method, message.params));
      else if (message.error) call.reject(new Error(`${call.method}: ${message.error.message}`));
      else call.resolve(message.result);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { method, resolve, reject });
      this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
    });
  }

  on(listener) {
    this.#listeners.push(listener);
  }

  /// A page at `url`, loaded, without network.
  async open(url) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId);
    const loaded = new Promise((resolve) => {
      this.on((method) => method === 'Page.loadEventFired' && resolve());
    });
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.send(`${domain}.enable`);
    await page.send('Network.emulateNetworkConditions', {
      offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0,
    });
    // Markup that runs is a complaint; a dialog would wait for somebody.
    await page.send('Page.addScriptToEvaluateOnNewDocument', {
      source: `window.alert = (text) => console.error('alert: ' + text);`,
    });
    await page.send('Page.navigate', { url });
    await loaded;
    return page;
  }

  async close() {
    const gone = new Promise((resolve) => this.process.once('exit', resolve));
    this.send('Browser.close').catch(() => {});
    await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 5000))]);
    this.process.kill('SIGKILL');
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

class Page {
  complaints = [];  // console errors, uncaught exceptions
  requests = [];    // everything asked for that is not a file: or data: address

  constructor(browser, sessionId) {
    this.send = (method, params) => browser.send(method, params, sessionId);
    browser.on((method, params) => {
      if (method === 'Runtime.exceptionThrown') {
        const { text, exception } = params.exceptionDetails;
        this.complaints.push(exception?.description ?? text);
      } else if (method === 'Runtime.consoleAPICalled' && /^(error|assert)$/.test(params.type)) {
        this.complaints.push(params.args.map((each) => each.value ?? each.description).join(' '));
      } else if (method === 'Log.entryAdded' && params.entry.level === 'error') {
        this.complaints.push(params.entry.text);
      } else if (method === 'Network.requestWillBeSent') {
        const url = params.request.url;
        if (!/^(file|data|blob|about):/.test(url)) this.requests.push(url);
      }
    });
  }

  /// The value of an expression in the page; promises are awaited.
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression, awaitPromise: true, returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? expression);
    return result.value;
  }

  /// A window of that width, read in `light` or `dark`.
  async view(width, scheme) {
    await this.send('Emulation.setDeviceMetricsOverride', {
      width, height: 900, deviceScaleFactor: 1, mobile: false,
    });
    await this.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: scheme }],
    });
  }

  /// The page on paper of A4 (703 px between margins of 12 mm), or as in a window again.
  async print(on) {
    await this.send('Emulation.setDeviceMetricsOverride', {
      width: on ? 703 : 1280, height: 900, deviceScaleFactor: 1, mobile: false,
    });
    await this.send('Emulation.setEmulatedMedia', { media: on ? 'print' : '' });
  }

  /// The whole page as a PNG's bytes, for people.
  async picture() {
    const { data } = await this.send('Page.captureScreenshot', {
      format: 'png', captureBeyondViewport: true,
    });
    return Buffer.from(data, 'base64');
  }

  /// Waits until an expression is true.
  async until(expression, what, seconds = 20) {
    for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
      if (await this.evaluate(expression)) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`waited ${seconds} s for: ${what}`);
  }

  mouse(type, x, y, pressed = false) {
    return this.send('Input.dispatchMouseEvent', {
      type, x, y, button: pressed ? 'left' : 'none', buttons: type === 'mouseReleased' ? 0 : +pressed,
      clickCount: pressed ? 1 : 0,
    });
  }
}
