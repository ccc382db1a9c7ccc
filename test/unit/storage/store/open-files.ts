import { readdirSync, readlinkSync } from 'node:fs'

function readOrNothing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Files below a directory that this process has open, as far as the system says: on Linux. */
export function openFilesBelow(dir: string): string[] {
  const descriptors = readOrNothing(() => readdirSync('/proc/self/fd')) ?? []
  return descriptors
    .map((descriptor) => readOrNothing(() => readlinkSync(`/proc/self/fd/${descriptor}`)) ?? '')
    .filter((file) => file.startsWith(`${dir}/`))
    .sort()
}
