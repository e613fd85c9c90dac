import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { viewFiles } from '../../../pipelines/recognise/file_view.ts';
import { recognise } from '../../../pipelines/recognise/recognise.ts';
import { type ReleaseFolder, releaseFolder } from '../../sources/release_folder.ts';

let folder: ReleaseFolder;
beforeEach(async () => {
  folder = await releaseFolder();
});
afterEach(() => folder.remove());

const SALES = [
  'Sale ID,Sale Date,Address,Suburb,State,Postcode,Price,Beds',
  '1,2025-03-01,1 High Street,Richmond,VIC,3121,"$1,200,000",3',
  '2,02/03/2025,2 High Street,Richmond,VIC,3121,980000,2',
].join('\n');

describe('a table of sales with plain columns', () => {
  it('is proposed with a map of its columns, and read so', async () => {
    const path = await folder.write('sold.csv', SALES);
    const [view] = await viewFiles([path]);
    const field_map = {
      columns: {
        source_id: 'Sale ID',
        event_date: 'Sale Date',
        address: 'Address',
        suburb: 'Suburb',
        state: 'State',
        postcode: 'Postcode',
        price: 'Price',
        bedrooms: 'Beds',
      },
    };
    expect(view!.proposals).toEqual([{ adapter: 'sales_csv', options: { field_map } }]);
    expect(view!.problem).toBeNull();
    const { datasets } = await recognise(path.replace(/\/[^/]+$/, ''));
    expect(datasets).toMatchObject([{ adapter: 'sales_csv', options: { field_map }, question: null }]);
  });

  it.each([
    ['what was matched with it', 'date,address,price,gnaf_pid\n1/2/2025,1 High Street,900000,GAVIC1'],
    ['a column of words for the date', 'date,address,price\nsoon,1 High Street,900000'],
    ['a table without a price', 'date,address\n1/2/2025,1 High Street'],
  ])('is not %s', async (_, text) => {
    const [view] = await viewFiles([await folder.write('table.csv', text)]);
    expect(view!.proposals).toEqual([]);
    expect(view!.problem).toContain('No adapter recognises its columns');
  });
});
