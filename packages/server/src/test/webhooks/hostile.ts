/** Lists URLs that an attacker might give to make the service send requests into its own network. */

/** These URLs can be refused before their name is resolved, because of their address, protocol or password. */
const literal = [
  'http://example.com/',
  'http://93.184.216.34/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_INFO',
  'javascript:alert(1)',
  'https://user:password@example.com/',
  'https://127.0.0.1/',
  'https://127.0.0.1:5432/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://①②⑦.⓪.⓪.①/',
  'https://127.0.0.1./',
  'https://%31%32%37.0.0.1/',
  'https://0/',
  'https://0.0.0.0/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://198.18.0.1/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://[::]/',
  'https://[::1]/',
  'https://[::127.0.0.1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[0:0:0:0:0:ffff:a00:1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001:db8::1]/',
  'https://[fe80::1]/',
  'https://[fc00::1]/',
  'https://[ff02::1]/',
];

/**
 * Maps host names to the addresses that the DNS returns for the first, second, … query. The last answer is repeated.
 */
const names: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'loopback.example.com': [['127.0.0.1']],
  'loopback6.example.com': [['::1']],
  'private.example.com': [['10.1.2.3']],
  'metadata.example.com': [['169.254.169.254']],
  'mapped.example.com': [['::ffff:127.0.0.1']],
  'compatible.example.com': [['::127.0.0.1']],
  'unique-local.example.com': [['fd12::5']],
  'zero.example.com': [['0.0.0.0']],
  'both.example.com': [['93.184.216.34', '127.0.0.1']],
  localhost: [['127.0.0.1', '::1']],
  'rebinding.example.com': [['93.184.216.34'], ['127.0.0.1']],
};

export const HOSTILE_URLS = { literal, names };
