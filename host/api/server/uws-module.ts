import type * as Uws from 'uWebSockets.js'
import { LockstepError } from '../../base/error.ts'
import { MAX_HEADER_SIZE } from './http-facts.ts'
import type { KeyPairFiles } from './key-pair.ts'

/** Exports of the library that its published types lack. */
export type UwsModule = typeof Uws & { readonly LIBUS_LISTEN_EXCLUSIVE_PORT: Uws.ListenOptions }

/** An app, with what its published types lack: another app that takes the connections which it accepts. */
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
 * The first of the two releases that loads: 20.51 wants glibc 2.27 and Node 22 or 23, 20.69 wants
 * glibc 2.38 and Node 22, 24 or 26. Undefined when neither does.
 */
export async function loadUws(): Promise<UwsModule | undefined> {
  // Read once, when the library loads. Its own bound of 4 KiB is less than the payment of a smart wallet's account.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(MAX_HEADER_SIZE)
  for (const load of [() => import('uWebSockets.js'), () => import('uWebSockets.js-glibc238')]) {
    try {
      return (await load()) as UwsModule
    } catch {
      // This release is not built for the system: the next one is tried.
    }
  }
  return undefined
}

/**
 * An app without routes, of TLS 1.2 and later where there are files of a certificate.
 * @throws CERTIFICATE_INVALID where the library does not take them
 */
export function makeApp(uws: UwsModule, files: KeyPairFiles | undefined): RenewableApp {
  if (files === undefined) return uws.App() as RenewableApp
  const { certificate, key } = files
  try {
    return uws.SSLApp({ cert_file_name: certificate, key_file_name: key }) as RenewableApp
  } catch (cause) {
    const message = `uWebSockets.js does not take ${certificate} with ${key}`
    throw new LockstepError('CERTIFICATE_INVALID', message, { cause })
  }
}
