// Makes sure that the dependencies are installed, before `npm run demo`, `npm test` and the like.
// It uses nothing but Node, and runs on old versions far enough to say that they are too old.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const MODULES = path.join(ROOT, 'node_modules');
const STAMP = path.join(MODULES, '.stamp');
const LOCK_FILE = path.join(ROOT, 'package-lock.json');
const OLDEST = [20, 11];
/** After this long another installation counts as hung. */
const PATIENCE_MS = 15 * 60 * 1000;

function stopWith(message) {
  console.error(`setup: ${message}`);
  process.exit(1);
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  stopWith(
    `this needs Node ${OLDEST.join('.')} or newer, and runs on ${process.version}. ` +
      'Install a newer Node from https://nodejs.org and try again.',
  );
}

function readOrNull(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (_) {
    return null;
  }
}

/** What the installed packages depend on: the lock file, and the platform their binaries are for. */
function wantedStamp(lockText) {
  const hash = createHash('sha256');
  hash.update(`${process.platform} ${process.arch} `).update(lockText);
  return hash.digest('hex');
}

/**
 * Whether a package may be absent: npm leaves out optional ones that are for other platforms.
 * One that is for exactly this platform is needed; of those that differ by C library only one is.
 */
function mayBeAbsent(entry) {
  if (!entry.optional) return false;
  const { os: systems = [], cpu: processors = [] } = entry;
  const isForThis = systems.includes(process.platform) && processors.includes(process.arch);
  return !isForThis || Boolean(entry.libc);
}

/** Whether the packages that npm noted as installed are those of the lock file, and their folders exist. */
function isInstalled(lockText) {
  const noted = readOrNull(path.join(MODULES, '.package-lock.json'));
  if (noted === null) return false;
  try {
    const wanted = JSON.parse(lockText).packages;
    const present = JSON.parse(noted).packages;
    return Object.keys(wanted).every((place) => {
      if (place === '') return true;
      const have = present[place];
      if (have === undefined || !fs.existsSync(path.join(ROOT, place, 'package.json'))) {
        return mayBeAbsent(wanted[place]);
      }
      return have.version === wanted[place].version && have.integrity === wanted[place].integrity;
    });
  } catch (_) {
    return false;
  }
}

function writeStamp(stamp) {
  try {
    fs.writeFileSync(STAMP, stamp);
  } catch (_) {
    // A read-only folder is checked again each time, which is quick.
  }
}

/** Whether there is nothing to install; leaves the stamp that makes the next answer immediate. */
function isCurrent(lockText, stamp) {
  if (readOrNull(STAMP) === stamp) return true;
  if (!isInstalled(lockText)) return false;
  writeStamp(stamp);
  return true;
}

function sleep(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** The processes other than this one that claim to be installing; the claims of dead ones are deleted. */
function otherClaims(folder) {
  return fs.readdirSync(folder).filter((name) => {
    if (name === String(process.pid)) return false;
    try {
      process.kill(Number(name), 0);
      return true;
    } catch (error) {
      if (error.code === 'EPERM') return true;
      fs.rmSync(path.join(folder, name), { force: true });
      return false;
    }
  });
}

function withdraw(claim) {
  fs.rmSync(claim, { force: true });
  try {
    fs.rmdirSync(path.dirname(claim));
  } catch (_) {
    // Another process claims.
  }
}

/**
 * Waits until no other process installs here. Everyone claims first and looks for others then, so that of
 * two that come at once at least one sees the other. The claims are in the repository's own folder, where nobody else can plant
 * links as in a temporary one, and outside node_modules, which npm empties.
 * Returns the claim to delete afterwards, or null when another process has done the work.
 */
function claimInstallation(isDone) {
  const folder = path.join(ROOT, '.setup');
  const claim = path.join(folder, String(process.pid));
  const end = Date.now() + PATIENCE_MS;
  for (let waits = 0; Date.now() < end; waits++) {
    try {
      fs.mkdirSync(folder, { recursive: true });
      // Whatever stands there of an earlier process of this number is no claim; nothing is ever written through it.
      fs.rmSync(claim, { force: true });
      fs.writeFileSync(claim, '', { flag: 'wx' });
    } catch (error) {
      // Another process has just removed the empty folder.
      if (error.code === 'ENOENT') continue;
      stopWith(`${folder} cannot be used: ${error.message}. Run it as the owner of ${ROOT}.`);
    }
    const others = otherClaims(folder);
    if (others.length === 0) return claim;
    withdraw(claim);
    if (waits === 5) console.error(`setup: waiting for process ${others[0]}, which is installing`);
    sleep(50 + Math.random() * 200);
    if (isDone()) return null;
  }
  return stopWith(
    `another installation has not ended for 15 minutes; end it, remove ${folder} and try again.`,
  );
}

/** Runs the npm that started this script, else the one on the path; answers how it ended and what it complained of. */
function runNpm(args) {
  // What npm prints must not mix with the output of the command that follows, so all of it goes to stderr.
  const options = { cwd: ROOT, stdio: ['ignore', 2, 'pipe'], encoding: 'utf8', maxBuffer: 64_000_000 };
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--include=dev', '--include=optional'];
  const starter = process.env.npm_execpath || '';
  if (path.basename(starter) === 'npm-cli.js') {
    return spawnSync(process.execPath, [starter, ...args, ...flags], options);
  }
  return spawnSync('npm', [...args, ...flags], { ...options, shell: process.platform === 'win32' });
}

/**
 * Installs what the lock file says. A lock file made where some registry lacks packages for other platforms does
 * not list them, which `npm ci` takes for an error; `npm install` uses the same versions and checksums without it.
 */
function install() {
  console.error('setup: installing the dependencies (once)');
  let result = runNpm(['ci']);
  if (result.status !== 0 && /EUSAGE[\s\S]*Missing: .* from lock file/.test(result.stderr || '')) {
    result = runNpm(['install', '--no-save']);
  }
  if (result.error) stopWith(`npm cannot be started (${result.error.message}). Install Node with npm.`);
  if (result.signal) stopWith(`npm was stopped by ${result.signal}.`);
  if (result.status !== 0) {
    process.stderr.write(result.stderr);
    stopWith(
      `npm failed with exit code ${result.status}; its messages are above. If the registry was not reached, ` +
        'check the network and `npm config get registry`, then try again.',
    );
  }
}

function main() {
  checkNode();
  const lockText = readOrNull(LOCK_FILE);
  if (lockText === null) stopWith(`${LOCK_FILE} is missing; it belongs to the repository.`);
  const stamp = wantedStamp(lockText);
  if (isCurrent(lockText, stamp)) return;
  const claim = claimInstallation(() => isCurrent(lockText, stamp));
  if (claim === null) return;
  process.on('exit', () => withdraw(claim));
  // It may have been done between the first look and the claim.
  if (isCurrent(lockText, stamp)) return;
  install();
  writeStamp(stamp);
}

main();
