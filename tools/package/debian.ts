/**
 * Writes a Debian package from a tarball of `npm pack` and the dependencies of this checkout, without a network:
 * `node tools/package/debian.ts lockstep-0.1.0.tgz lockstep.deb`. Two runs write the same bytes.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readManifest } from './manifest.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FILES = join(ROOT, 'tools/debian')
/** Scripts that dpkg runs. */
const SCRIPTS = ['postinst', 'prerm', 'postrm']
/** npm's own time of packed files: the same in every package. */
const EPOCH = 499_162_500
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

function run(program: string, args: readonly string[], environment = {}): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 2 ** 27,
    env: { ...process.env, ...environment },
  })
  if (status === 0) return stdout
  throw new Error(`${program} ended with ${status ?? error?.message}:\n${stderr}`)
}

/** Returns the folders of the packages that the package needs at run time. */
function runtimePackages(): string[] {
  const listed = run('npm', ['ls', '--omit=dev', '--all', '--parseable'])
  return listed.split('\n').filter((folder) => folder.includes('/node_modules/'))
}

/** Lays out the files below a folder, as they lie below `/` once they are installed. */
function writeTree(tarball: string, root: string): void {
  const library = join(root, 'usr/lib/lockstep')
  const documents = join(root, 'usr/share/doc/lockstep')
  const units = join(root, 'usr/lib/systemd/system')
  const commands = join(root, 'usr/bin')
  for (const folder of [library, documents, units, commands]) {
    mkdirSync(folder, { recursive: true })
  }
  run('tar', ['-xzf', tarball, '-C', library, '--strip-components', '1'])
  for (const folder of runtimePackages()) {
    cpSync(folder, join(library, relative(ROOT, folder)), {
      recursive: true,
      dereference: true,
      // Packages below it are in the list themselves
      filter: (path) => !relative(folder, path).split('/').includes('node_modules'),
    })
  }
  copyFileSync(join(ROOT, 'LICENSE'), join(documents, 'copyright'))
  for (const name of Object.keys(readManifest(library).bin)) {
    copyFileSync(join(FILES, name), join(commands, name))
  }
  const unit = readFileSync(join(ROOT, 'tools/systemd/lockstep.service'), 'utf8')
  writeFileSync(
    join(units, 'lockstep.service'),
    unit.replace(/^(?:#.*\n)+/, '').replaceAll('/usr/local/bin/', '/usr/bin/'),
  )
}

/** Gives files and folders the same modes whatever the umask. */
function setModes(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) setModes(path)
    else chmodSync(path, /\/(?:usr\/bin|DEBIAN)\/(?!control$)/.test(path) ? 0o755 : 0o644)
  }
}

/** Writes the package. @throws Error if this machine's architecture has none */
function writeDebianPackage(tarball: string, out: string): void {
  const architecture = ARCHITECTURES[process.arch]
  if (architecture === undefined) throw new Error(`no Debian package for ${process.arch}`)
  const root = mkdtempSync(join(tmpdir(), 'lockstep-deb-'))
  try {
    writeTree(tarball, root)
    const library = join(root, 'usr/lib/lockstep')
    const control = join(root, 'DEBIAN')
    mkdirSync(control)
    for (const name of SCRIPTS) copyFileSync(join(FILES, name), join(control, name))
    const { version } = readManifest(library)
    const template = readFileSync(join(FILES, 'control'), 'utf8')
    writeFileSync(
      join(control, 'control'),
      template.replace('@VERSION@', version).replace('@ARCHITECTURE@', architecture),
    )
    setModes(root)
    run('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', root, out], {
      SOURCE_DATE_EPOCH: `${EPOCH}`,
    })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const [tarball, out, ...others] = process.argv.slice(2)
if (tarball === undefined || out === undefined || others.length > 0) {
  process.stderr.write('Usage: node tools/package/debian.ts <tarball of npm pack> <file.deb>\n')
  process.exitCode = 64
} else {
  writeDebianPackage(resolve(tarball), resolve(out))
}
