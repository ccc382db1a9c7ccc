import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

export type BrowserName = 'chromium' | 'firefox'

export const BROWSER_NAMES: readonly BrowserName[] = ['chromium', 'firefox']

/** Where distributions put them; the first that is there counts. */
const PATHS: Readonly<Record<BrowserName, readonly string[]>> = {
  chromium: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  firefox: ['/usr/bin/firefox', '/usr/bin/firefox-esr'],
}

const VARIABLES: Readonly<Record<BrowserName, 'LOCKSTEP_CHROMIUM' | 'LOCKSTEP_FIREFOX'>> = {
  chromium: 'LOCKSTEP_CHROMIUM',
  firefox: 'LOCKSTEP_FIREFOX',
}

/** Path of a browser on this machine; undefined where there is none. An empty variable says that none is to be used. */
export function installedBrowser(name: BrowserName): string | undefined {
  const named = process.env[VARIABLES[name]]
  if (named !== undefined) return named === '' ? undefined : named
  return PATHS[name].find((path) => existsSync(path))
}

/** For the name of a test that cannot run without it. */
export function whyNoBrowser(name: BrowserName): string {
  return `no ${name}: install it (Debian: ${name === 'firefox' ? 'firefox-esr' : name}) or set ${VARIABLES[name]} to its path`
}

/** What the program calls itself: name and version. */
export function browserVersion(name: BrowserName): string {
  const path = installedBrowser(name)
  if (path === undefined) throw new Error(whyNoBrowser(name))
  // Chromium of Debian has notes for standard error
  const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore']
  return execFileSync(path, ['--version'], { encoding: 'utf8', stdio }).trim()
}
