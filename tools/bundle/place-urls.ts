import { basename, dirname, relative, resolve, sep } from 'node:path'
import type { Plugin } from 'rolldown'

/** `new URL('./x', import.meta.url)`, the only form in which host/ names files of its own. */
const OWN_URL = /\bnew URL\(\s*(['"`])(\.[^'"`\n]*)\1,\s*import\.meta\.url,?\s*\)/g

/** Returns the scripts that a source starts in threads and processes, as absolute paths. */
export function startedScripts(code: string, file: string): string[] {
  return Array.from(code.matchAll(OWN_URL), ([, , path = '']) => path)
    .filter((path) => path.endsWith('.ts'))
    .map((path) => resolve(dirname(file), path))
}

/** Returns the bundled file name of a script. All of them lie in one folder. */
export function bundledName(script: string): string {
  return `${basename(script, '.ts')}.js`
}

function moved(path: string, file: string, folder: string): string {
  if (path.endsWith('.ts')) return `new URL('./${bundledName(path)}', import.meta.url)`
  // A template: its braces hold no path separators and are kept
  const target = relative(folder, resolve(dirname(file), path))
    .split(sep)
    .join('/')
  return `new URL(\`${target}${path.endsWith('/') ? '/' : ''}\`, import.meta.url)`
}

/**
 * Makes the URLs of sources name the same files from the bundle, and those of scripts their bundled file.
 *
 * @param folder where the bundle will be
 * @param onScript called with each script that is started
 */
export function placeUrls(
  root: string,
  folder: string,
  onScript: (script: string) => void,
): Plugin {
  return {
    name: 'place-urls',
    transform: {
      filter: { code: 'import.meta.url' },
      handler(code, id) {
        if (!id.startsWith(resolve(root, 'host') + sep)) return null
        for (const script of startedScripts(code, id)) onScript(script)
        const text = code.replace(OWN_URL, (_, _quote, path: string) => moved(path, id, folder))
        return text === code ? null : { code: text, map: null }
      },
    },
  }
}
