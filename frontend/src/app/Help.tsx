// SPDX-License-Identifier: Apache-2.0
// Help that nobody needs at first: the tour, the definitions, the foot of the page. Fetched once the page is there.
import { Link } from 'wouter';
import { currentCopy } from '../api/copy';
import { fileAddress } from '../api/home';
import { Definitions } from '../features/glossary/Definitions';
import { TourButton } from '../features/tour/TourButton';
import './Help.css';

export { Tour } from '../features/tour/Tour';

export function Foot({ path }: { path: string }) {
  return (
    <>
      <footer className="foot">
        <Link href="/glossary">Glossary</Link>
        <Link href="/models">Models</Link>
        {!currentCopy() && <a href={fileAddress('/docs/')}>Documents</a>}
        <TourButton />
      </footer>
      <Definitions path={path} />
    </>
  );
}
