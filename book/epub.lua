-- A filter of pandoc for the EPUB, whose rules are stricter than a browser's.

-- A division without attributes must not be in a <summary>.
function Div(div)
  if div.identifier == "" and #div.classes == 0 and #div.attributes == 0 then
    return div.content
  end
end

-- A formula needs its namespace.
function RawBlock(block)
  local namespace = '<math xmlns="http://www.w3.org/1998/Math/MathML" '
  block.text = block.text:gsub("<math ", namespace)
  return block
end
