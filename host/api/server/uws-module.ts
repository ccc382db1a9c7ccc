import type * as Uws from 'uWebSockets.js'
import { LockstepError } from '../../base/error.ts'
import { MAX_HEADER_SIZE } from './http-facts.ts'
import type { KeyPairFiles } from './key-pair.ts'

export type UwsModule = typeof Uws & { readonly LIBUS_LISTEN_EXCLUSIVE_PORT: Uws.ListenOptions }

/** An app with methods that the published types lack, among them one that hands accepted connections to another app. */
export interface RenewableApp extends Uws.TemplatedApp {
  getDescriptor(): AppDescriptor
  addChildAppDescriptor(app: AppDescriptor): void
  removeChildAppDescriptor(app: AppDescriptor): void
}

type AppDescriptor = { readonly brand: 'app of uWebSockets.js' }

export type ListenOn = (
  host: string,
  port: number,
  options: Uws.ListenOptions,
  callback: (listener: Uws.us_listen_socket | false) => void,
) => void

/**
 * Loads the first supported release: 20.51 needs glibc 2.27 and Node 22 or 23, 20.69 needs glibc 2.38 and Node 22, 24
 * or 26. Returns undefined if neither loads.
 */
export async function loadUws(): Promise<UwsModule | undefined> {
  // Read once, when the library loads. Its default of 4 KiB is too small for a payment from a smart wallet.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(MAX_HEADER_SIZE)
  for (const load of [() => import('uWebSockets.js'), () => import('uWebSockets.js-glibc238')]) {
    try {
      return (await load()) as UwsModule
    } catch {
      // This release has no build for the system; try the next one.
    }
  }
  return undefined
}

/**
 * Creates an app without routes, with TLS 1.2 or later if certificate files are given.
 * @throws CERTIFICATE_INVALID if the library rejects them
 */
export function makeApp(uws: UwsModule, files: KeyPairFiles | undefined): RenewableApp {
  if (files === undefined) return uws.App() as RenewableApp
  const { certificate, key } = files
  try {
    return uws.SSLApp({ cert_file_name: certificate, key_file_name: key }) as RenewableApp
  } catch (cause) {
    const message = `uWebSockets.js rejects the certificate ${certificate} with the key ${key}`
    throw new LockstepError('CERTIFICATE_INVALID', message, { cause })
  }
}
