import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const ROOT: string = fileURLToPath(new URL('../../../', import.meta.url))

/** Folder of the bundles. */
export const BUNDLE_FOLDER: string = join(ROOT, 'build/test/threads')

/** Scripts of threads, test processes and the signer. Nodes and commands have their own bundle. */
const SCRIPT =
  /-worker\.ts$|^test\/.*-(?:thread|writer|main)\.ts$|^host\/wallet\/signer\/signer-main\.ts$/
const SCRIPT_URL = /new URL\('([^']*\.ts)', import\.meta\.url\)/g

/** Returns true if a file is the script of a thread or process with a bundle. */
export function isScript(path: string): boolean {
  return SCRIPT.test(relative(ROOT, path))
}

/** Returns the path of a script's bundle. */
export function bundleOf(script: string): string {
  return join(BUNDLE_FOLDER, relative(ROOT, script).replaceAll('/', '-').replace(/\.ts$/, '.js'))
}

/** Returns the source of the module at `path` with script URLs replaced by those of their bundles. */
export function withBundledThreads(source: string, path: string): string {
  return source.replace(SCRIPT_URL, (whole, url: string) => {
    const script = resolve(dirname(path), url)
    return isScript(script)
      ? `new URL(${JSON.stringify(pathToFileURL(bundleOf(script)).href)})`
      : whole
  })
}
