/** Message from the test to a process: its folder and the chain that it sends to. */
export interface ToKilled {
  readonly folder: string
  readonly caip2: string
  readonly url: string
}

/** Message from a process when it serves, with its port if it has one. */
export interface FromKilled {
  readonly ready: number
}

/** Body of a request from the test to the API process. */
export interface SendWish {
  readonly walletId: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly requestId: string
}
