// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// The cheat codes that these tests use; forge has them at this address.
interface Vm {
    function envAddress(string calldata name) external returns (address);
    function envUint(string calldata name) external returns (uint256);
    function createSelectFork(string calldata url) external returns (uint256);
    function createSelectFork(string calldata url, uint256 blockNumber) external returns (uint256);
    function rollFork(bytes32 transaction) external;
    function transact(bytes32 transaction) external;
    function rpc(string calldata method, string calldata params) external returns (bytes memory);
    function rpcUrl(string calldata alias_) external returns (string memory);
    function prank(address sender) external;
    function deal(address who, uint256 balance) external;
    function startBroadcast() external;
    function startBroadcast(uint256 key) external;
    function stopBroadcast() external;
    function expectRevert(bytes calldata message) external;
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
