import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const ROOT: string = fileURLToPath(new URL('../../../', import.meta.url))

/** Holds the bundles of scripts. */
export const BUNDLE_FOLDER: string = join(ROOT, 'build/test/threads')

/** Of a thread, of a process of tests, or of a signer: nodes and commands have a bundle of their own. */
const SCRIPT =
  /-worker\.ts$|^test\/.*-(?:thread|writer|main)\.ts$|^host\/wallet\/signer\/signer-main\.ts$/
const SCRIPT_URL = /new URL\('([^']*\.ts)', import\.meta\.url\)/g

/** Whether a file is the script of a thread or process that has a bundle. */
export function isScript(path: string): boolean {
  return SCRIPT.test(relative(ROOT, path))
}

/** The bundle of a script. */
export function bundleOf(script: string): string {
  return join(BUNDLE_FOLDER, relative(ROOT, script).replaceAll('/', '-').replace(/\.ts$/, '.js'))
}

/** The source of a module at `path` with the URLs of scripts replaced by those of their bundles. */
export function withBundledThreads(source: string, path: string): string {
  return source.replace(SCRIPT_URL, (whole, url: string) => {
    const script = resolve(dirname(path), url)
    return isScript(script)
      ? `new URL(${JSON.stringify(pathToFileURL(bundleOf(script)).href)})`
      : whole
  })
}
