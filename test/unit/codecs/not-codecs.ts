/** Encoding files of host/ without a row among the codecs, each with the reason. */
export const NOT_CODECS: Readonly<Record<string, string>> = {
  'host/evm/chain-types/block-access-list.ts':
    'hashed into the header, and compared there: nothing decodes it',
  'host/evm/execute/raw-block.ts':
    'the encoding of ethereum-block.ts, which the import of chains decodes',
  'host/evm/chain-types/abi.ts': 'arguments of calls, which contracts read',
  'host/evm/chain-types/receipt.ts':
    'the consensus encoding alone, which is hashed: nothing here reads it',
  'host/evm/chain-types/typed-envelope.ts':
    'a type byte before RLP, a part of transactions and receipts',
  'host/chain/consensus/abci/response-codec.ts': 'answers to CometBFT, which alone reads them',
  'host/chain/consensus/comet/commitment-proof.ts': 'proofs for IBC clients, which alone read them',
  'host/explorer/page/debug/what-if/argument.ts': 'arguments of calls, which contracts read',
  'host/explorer/page/decode/abi/decode-values.ts': 'values of contracts, which are shown',
  'host/payments/protocol/payment-header.ts': 'base64 of JSON, a part of proofs',
  'host/api/rpc/protocol/jsonrpc.ts': 'answers to clients, which alone read them',
  'host/evm/trace/bundle/bundle-reads.ts': 'a part of bundles',
  'host/wallet/policy/typed-data.ts': 'type strings of EIP-712, which are hashed',
}
