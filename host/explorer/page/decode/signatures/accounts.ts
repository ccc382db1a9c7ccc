import type { Standard } from './standard.ts'

const USER_OPERATION_6 =
  '(address sender, uint256 nonce, bytes initCode, bytes callData, uint256 callGasLimit, uint256 verificationGasLimit, uint256 preVerificationGas, uint256 maxFeePerGas, uint256 maxPriorityFeePerGas, bytes paymasterAndData, bytes signature)'
const USER_OPERATION_7 =
  '(address sender, uint256 nonce, bytes initCode, bytes callData, bytes32 accountGasLimits, uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData, bytes signature)'

/** Account contracts, and the data they sign. */
export const ACCOUNTS: readonly Standard[] = [
  {
    name: 'EntryPoint',
    items: `
function handleOps(${USER_OPERATION_6}[] ops, address beneficiary)
function handleOps(${USER_OPERATION_7}[] ops, address beneficiary)
function handleAggregatedOps((${USER_OPERATION_7}[] userOps, address aggregator, bytes signature)[] opsPerAggregator, address beneficiary)
function innerHandleOp(bytes callData, ((address sender, uint256 nonce, uint256 callGasLimit, uint256 verificationGasLimit, uint256 preVerificationGas, address paymaster, uint256 maxFeePerGas, uint256 maxPriorityFeePerGas) mUserOp, bytes32 userOpHash, uint256 prefund, uint256 contextOffset, uint256 preOpGas) opInfo, bytes context) returns (uint256 actualGasCost)
function innerHandleOp(bytes callData, ((address sender, uint256 nonce, uint256 verificationGasLimit, uint256 callGasLimit, uint256 paymasterVerificationGasLimit, uint256 paymasterPostOpGasLimit, uint256 preVerificationGas, address paymaster, uint256 maxFeePerGas, uint256 maxPriorityFeePerGas) mUserOp, bytes32 userOpHash, uint256 prefund, uint256 contextOffset, uint256 preOpGas) opInfo, bytes context) returns (uint256 actualGasCost)
function validateUserOp(${USER_OPERATION_6} userOp, bytes32 userOpHash, uint256 missingAccountFunds) returns (uint256 validationData)
function validateUserOp(${USER_OPERATION_7} userOp, bytes32 userOpHash, uint256 missingAccountFunds) returns (uint256 validationData)
function validatePaymasterUserOp(${USER_OPERATION_6} userOp, bytes32 userOpHash, uint256 maxCost) returns (bytes context, uint256 validationData)
function validatePaymasterUserOp(${USER_OPERATION_7} userOp, bytes32 userOpHash, uint256 maxCost) returns (bytes context, uint256 validationData)
function postOp(uint8 mode, bytes context, uint256 actualGasCost)
function postOp(uint8 mode, bytes context, uint256 actualGasCost, uint256 actualUserOpFeePerGas)
function depositTo(address account) payable
function withdrawTo(address withdrawAddress, uint256 withdrawAmount)
function addStake(uint32 unstakeDelaySec) payable
function unlockStake()
function withdrawStake(address withdrawAddress)
function getNonce(address sender, uint192 key) view returns (uint256 nonce)
function getUserOpHash(${USER_OPERATION_7} userOp) view returns (bytes32)
function getSenderAddress(bytes initCode)
function createAccount(address owner, uint256 salt) returns (address)
function execute(address dest, uint256 value, bytes func)
function executeBatch(address[] dest, bytes[] func)
function executeBatch(address[] dest, uint256[] value, bytes[] func)
function executeBatch((address target, uint256 value, bytes data)[] calls) payable
function executeUserOp(${USER_OPERATION_7} userOp, bytes32 userOpHash)
function execute(bytes32 mode, bytes executionCalldata) payable
function executeFromExecutor(bytes32 mode, bytes executionCalldata) payable returns (bytes[] returnData)
function installModule(uint256 moduleTypeId, address module, bytes initData) payable
function uninstallModule(uint256 moduleTypeId, address module, bytes deInitData) payable
event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)
event UserOperationRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)
event UserOperationPrefundTooLow(bytes32 indexed userOpHash, address indexed sender, uint256 nonce)
event PostOpRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)
event AccountDeployed(bytes32 indexed userOpHash, address indexed sender, address factory, address paymaster)
event BeforeExecution()
event Deposited(address indexed account, uint256 totalDeposit)
event Withdrawn(address indexed account, address withdrawAddress, uint256 amount)
event StakeLocked(address indexed account, uint256 totalStaked, uint256 unstakeDelaySec)
error FailedOp(uint256 opIndex, string reason)
error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)
error PostOpReverted(bytes returnData)
error SignatureValidationFailed(address aggregator)
error SenderAddressResult(address sender)
error DelegateAndRevert(bool success, bytes ret)`,
  },
  {
    name: 'ERC-7702 delegates',
    items: `
function execute((address to, uint256 value, bytes data)[] calls) payable
function execute((address to, uint256 value, bytes data)[] calls, bytes opData) payable`,
  },
  {
    name: 'Safe',
    items: `
function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool success)
function execTransactionFromModule(address to, uint256 value, bytes data, uint8 operation) returns (bool success)
function execTransactionFromModuleReturnData(address to, uint256 value, bytes data, uint8 operation) returns (bool success, bytes returnData)
function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)
function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address proxy)
function multiSend(bytes transactions) payable
function approveHash(bytes32 hashToApprove)
function checkSignatures(bytes32 dataHash, bytes data, bytes signatures) view
function checkNSignatures(bytes32 dataHash, bytes data, bytes signatures, uint256 requiredSignatures) view
function getTransactionHash(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, uint256 nonce) view returns (bytes32)
function addOwnerWithThreshold(address owner, uint256 threshold)
function removeOwner(address prevOwner, address owner, uint256 threshold)
function swapOwner(address prevOwner, address oldOwner, address newOwner)
function changeThreshold(uint256 threshold)
function enableModule(address module)
function disableModule(address prevModule, address module)
function setGuard(address guard)
function setFallbackHandler(address handler)
function getOwners() view returns (address[])
function getThreshold() view returns (uint256)
function isOwner(address owner) view returns (bool)
function nonce() view returns (uint256)
function simulateAndRevert(address targetContract, bytes calldataPayload)
event ExecutionSuccess(bytes32 indexed txHash, uint256 payment)
event ExecutionFailure(bytes32 indexed txHash, uint256 payment)
event ExecutionSuccess(bytes32 txHash, uint256 payment)
event ExecutionFailure(bytes32 txHash, uint256 payment)
event ExecutionFromModuleSuccess(address indexed module)
event ExecutionFromModuleFailure(address indexed module)
event SafeSetup(address indexed initiator, address[] owners, uint256 threshold, address initializer, address fallbackHandler)
event SafeReceived(address indexed sender, uint256 value)
event ProxyCreation(address indexed proxy, address singleton)
event AddedOwner(address indexed owner)
event RemovedOwner(address indexed owner)
event ChangedThreshold(uint256 threshold)
event EnabledModule(address indexed module)
event DisabledModule(address indexed module)
event ApproveHash(bytes32 indexed approvedHash, address indexed owner)
event ChangedGuard(address indexed guard)
event ChangedFallbackHandler(address indexed handler)`,
  },
  {
    name: 'Permit2',
    items: `
function permit(address owner, ((address token, uint160 amount, uint48 expiration, uint48 nonce) details, address spender, uint256 sigDeadline) permitSingle, bytes signature)
function permit(address owner, ((address token, uint160 amount, uint48 expiration, uint48 nonce)[] details, address spender, uint256 sigDeadline) permitBatch, bytes signature)
function transferFrom(address from, address to, uint160 amount, address token)
function transferFrom((address from, address to, uint160 amount, address token)[] transferDetails)
function permitTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes signature)
function permitTransferFrom(((address token, uint256 amount)[] permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount)[] transferDetails, address owner, bytes signature)
function permitWitnessTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes32 witness, string witnessTypeString, bytes signature)
function permitWitnessTransferFrom(((address token, uint256 amount)[] permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount)[] transferDetails, address owner, bytes32 witness, string witnessTypeString, bytes signature)
function approve(address token, address spender, uint160 amount, uint48 expiration)
function allowance(address user, address token, address spender) view returns (uint160 amount, uint48 expiration, uint48 nonce)
function lockdown((address token, address spender)[] approvals)
function invalidateNonces(address token, address spender, uint48 newNonce)
function invalidateUnorderedNonces(uint256 wordPos, uint256 mask)
event Approval(address indexed owner, address indexed token, address indexed spender, uint160 amount, uint48 expiration)
event Permit(address indexed owner, address indexed token, address indexed spender, uint160 amount, uint48 expiration, uint48 nonce)
event Lockdown(address indexed owner, address token, address spender)
event NonceInvalidation(address indexed owner, address indexed token, address indexed spender, uint48 newNonce, uint48 oldNonce)
event UnorderedNonceInvalidation(address indexed owner, uint256 word, uint256 mask)
error AllowanceExpired(uint256 deadline)
error InsufficientAllowance(uint256 amount)
error ExcessiveInvalidation()
error InvalidAmount(uint256 maxAmount)
error SignatureExpired(uint256 signatureDeadline)
error InvalidNonce()
error InvalidSignatureLength()
error InvalidSigner()
error InvalidContractSignature()`,
  },
]
