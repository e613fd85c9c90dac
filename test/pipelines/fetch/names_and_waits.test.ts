import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryAfterSeconds } from '../../../pipelines/fetch/download_failure.ts';
import { nameInDisposition, nameInUrl, safeName } from '../../../pipelines/fetch/file_name.ts';
import { shownUrl } from '../../../pipelines/fetch/web_url.ts';
import { isMetadataHost, isPrivateHost } from '../../../store/system/private_host.ts';

describe('the name of a file', () => {
  it.each([
    ['https://x.au/a/g-naf_nov25_gda2020_psv.zip?X=1', 'g-naf_nov25_gda2020_psv.zip'],
    ['https://x.au/School%20Location%202025.xlsx', 'School Location 2025.xlsx'],
    ['https://x.au/Suburbs%20and%20Localities%2C%20SEIFA.xlsx', 'Suburbs and Localities_ SEIFA.xlsx'],
    ['https://x.au/geoserver/wfs?x=a.zip', null],
    ['https://x.au/v1.0/', null],
    ['https://x.au/a%2F..%2F..%2Fpasswd.txt', 'passwd.txt'],
    ['https://x.au/%E0%A4%A.zip', 'E0_A4_A.zip'],
  ])('in %s is %s', (url, name) => {
    expect(nameInUrl(new URL(url))).toBe(name);
  });

  it.each([
    ['attachment; filename="gtfs.zip"', 'gtfs.zip'],
    ['attachment; filename=gtfs.zip; size=3', 'gtfs.zip'],
    ['attachment; filename="x.zip"; filename*=UTF-8\'\'caf%C3%A9.zip', 'café.zip'],
    ['attachment; filename="../../etc/cron.d/x"', 'x'],
    ['attachment; filename="..\\\\..\\\\x.zip"', 'x.zip'],
    ['attachment; filename=".."', null],
    ['attachment', null],
    [undefined, null],
  ])('in Content-Disposition %s is %s', (header, name) => {
    expect(nameInDisposition(header)).toBe(name);
  });

  it('never leaves its folder, whatever a server calls it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const name = safeName(text);
        if (name === null) return;
        expect(name).not.toMatch(/[\\/\0]|^\.|[\p{Cc}:*?"<>|]/u);
        expect(name.length).toBeLessThanOrEqual(150);
      }),
    );
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-21T00:00:00Z');
  it.each([
    ['120', 120],
    [' 0 ', 0],
    ['Sat, 21 Nov 2026 00:01:30 GMT', 90],
    ['Fri, 20 Nov 2026 00:00:00 GMT', 0],
    ['99999999999999', 99_999_999_999_999],
    ['soon', null],
    ['-5000000000000', null],
    [undefined, null],
  ])('%s is %s seconds', (header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });
});

describe('a host', () => {
  it.each([
    ['http://127.0.0.1:80/', true],
    ['http://2130706433/', true],
    ['http://0x7f.1/', true],
    ['http://10.1.2.3/', true],
    ['http://172.31.0.1/', true],
    ['http://172.32.0.1/', false],
    ['http://192.168.0.1/', true],
    ['http://169.254.169.254/latest/meta-data', true],
    ['http://[::1]/', true],
    ['http://[::ffff:127.0.0.1]/', true],
    ['http://[fd00::1]/', true],
    ['http://[2606:4700::1]/', false],
    ['http://localhost/', true],
    ['http://x.localhost./', true],
    ['http://metadata.google.internal/', true],
    ['http://intranet/', true],
    ['https://data.gov.au/', false],
    ['https://8.8.8.8/', false],
    ['https://[::ffff:8.8.8.8]/', false],
    ['http://017700000001/', true],
    ['http://192.0.2.1/', true],
    ['http://198.51.100.1/', true],
    ['http://203.0.113.1/', true],
    ['http://192.88.99.1/', true],
    ['http://168.63.129.16/', true],
    ['http://[2001:0:7f00:1::1]/', true],
    ['http://[2001:db8::1]/', true],
    ['http://[3fff::1]/', true],
    ['http://[100::1]/', true],
    ['http://[5f00::1]/', true],
    ['http://[fec0::1]/', true],
    ['http://[ff02::1]/', true],
    ['http://[2001:4860:4860::8888]/', false],
  ])('of %s is private: %s', (url, expected) => {
    expect(isPrivateHost(new URL(url))).toBe(expected);
  });

  it.each([
    ['http://169.254.169.254/', true],
    ['http://2852039166/', true],
    ['http://[::ffff:169.254.169.254]/', true],
    ['http://[::169.254.169.254]/', true],
    ['http://[::ffff:0:169.254.169.254]/', true],
    ['http://[64:ff9b::169.254.169.254]/', true],
    ['http://[64:ff9b:1::169.254.169.254]/', true],
    ['http://[2002:a9fe:a9fe::]/', true],
    ['http://[fd00:ec2::254]/', true],
    ['http://[fd20:ce::254]/', true],
    ['http://[fe80::1]/', true],
    ['http://100.100.100.200/', true],
    ['http://168.63.129.16/', true],
    ['http://10.0.0.1/', false],
    ['http://[fd00::1]/', false],
    ['http://127.0.0.1/', false],
  ])('of %s is a metadata service: %s', (url, expected) => {
    expect(isMetadataHost(new URL(url))).toBe(expected);
  });
});

describe('a URL in messages', () => {
  it.each([
    ['https://me:hunter2@x.au:8443/a/b.zip?key=hunter2#hunter2', 'https://x.au:8443/a/b.zip'],
    ['hunter2', '(no valid URL)'],
  ])('of %s is %s', (url, shown) => {
    expect(shownUrl(url)).toBe(shown);
  });
});
