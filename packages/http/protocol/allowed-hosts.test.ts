import { hostname } from 'node:os';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AllowedHosts } from './allowed-hosts.ts';

const allowedHosts = suite('allowed hosts');

const hosts = new AllowedHosts(['svc.example.com', '*.Proxy.example'], 'bound.example');

for (const host of [
  ...['127.0.0.1', '127.0.0.1:9090', '10.0.0.1', '0.0.0.0', '[::1]:9090', '[fe80::1]'],
  ...['localhost', 'LOCALHOST:80', 'localhost.:80', 'a.localhost', hostname(), 'bound.example:1'],
  ...['svc.example.com', 'SVC.example.com.:8080', 'a.proxy.example', 'b.a.proxy.example:443'],
]) {
  allowedHosts(`admits ${host}`, () => assert.is(hosts.admits(host), true));
}

for (const host of [
  ...['', ' ', ':9090', 'evil.example', 'localhost.evil.example', 'xlocalhost', '.localhost'],
  ...['127.0.0.1.evil.example:9090', 'a.svc.example.com', 'example.com', 'proxy.example'],
  ...['xproxy.example', '127.0.0.1@evil.example', 'svc.example.com.evil.example', 'a b'],
]) {
  allowedHosts(`does not admit ${host}`, () => assert.is(hosts.admits(host), false));
}

allowedHosts.run();
